/** The fields of a table's setup: number of players, options, clock, rest and coach. */

import { html, nothing } from "../vendor/lit.js";
import { translate } from "../words.js";

/** @typedef {import("../types.js").OptionInfo} OptionInfo */
/** @typedef {{seats: number, options: Record<string, string | number | boolean>, rest: number | null, coach: boolean} & Clock} Setup */

/** Time per decision, or per player with what each move adds, in seconds. @typedef {{clock: number | null, bank: number | null, increment: number}} Clock */

const NO_CLOCK = { clock: null, bank: null, increment: 0 };
/** @type {Clock[]} */
const CLOCKS = [
  NO_CLOCK,
  ...[30, 60, 180, 3600, 86400].map((clock) => ({ ...NO_CLOCK, clock })),
  ...[[300, 5], [900, 10], [1800, 30]].map(([bank, increment]) => ({ ...NO_CLOCK, bank, increment })),
];
const RESTS = [60, 30, 10, 0, null]; // seconds; 0: no limit; null: no rest

/**
 * @param {[number, number]} range smallest and largest number
 * @param {number} chosen
 * @param {(seats: number) => void} onChange
 */
export function seatsField([low, high], chosen, onChange) {
  const counts = Array.from({ length: high - low + 1 }, (_, step) => low + step);
  return html`<fieldset class="field">
    <legend>${translate("new.seats")}</legend>
    <div class="segments">
      ${counts.map(
        (count) =>
          html`<label class="segment">
            <input
              type="radio"
              name="seats"
              value=${count}
              .checked=${chosen === count}
              @change=${() => onChange(count)}
            />
            <span>${count}</span></label
          >`,
      )}
    </div>
  </fieldset>`;
}

/**
 * @param {OptionInfo[]} options
 * @param {Record<string, unknown>} [values] the defaults where there are none
 */
export function optionFields(options, values = {}) {
  return html`<fieldset class="field">
    <legend>${translate("new.options")}</legend>
    ${
      options.length
        ? options.map((option) => optionField(option, values[option.name] ?? option.default))
        : html`<p class="quiet">${translate("new.options_none")}</p>`
    }
  </fieldset>`;
}

/**
 * @param {OptionInfo} option
 * @param {unknown} chosen
 */
function optionField(option, chosen) {
  const help = html`<small
    >${option.help} ${option.clause ? translate("new.clause", { clause: option.clause }) : nothing}</small
  >`;
  if (typeof option.default === "boolean") {
    return html`<label class="switch"
      ><span>${option.label}${help}</span>
      <input type="checkbox" role="switch" name=${`option.${option.name}`} ?checked=${chosen}
    /></label>`;
  }
  return html`<label class="select-line"
    ><span>${option.label}${help}</span>
    <select name=${`option.${option.name}`}>
      ${option.choices.map(
        ({ value, label }, index) => html` <option value=${index} ?selected=${value === chosen}>${label}</option>`,
      )}
    </select>
  </label>`;
}

/** @param {Clock} [table] whose clock is chosen */
export function clockField({ clock, bank, increment } = NO_CLOCK) {
  const chosen = JSON.stringify({ clock, bank, increment });
  const values = [...new Set([...CLOCKS.map((each) => JSON.stringify(each)), chosen])];
  return html`<label class="select-line"
    ><span>${translate("new.clock")}<small>${translate("new.clock_help")}</small></span>
    <select name="clock">
      ${values.map((value) => html`<option value=${value} ?selected=${value === chosen}>${clockLabel(JSON.parse(value))}</option>`)}
    </select>
  </label>`;
}

/** @param {number | null} [chosen] seconds */
export function restField(chosen = RESTS[0]) {
  return html`<label class="select-line"
    ><span>${translate("new.rest")}<small>${translate("new.rest_help")}</small></span>
    <select name="rest">
      ${offered(RESTS, chosen).map((seconds) => html`<option value=${seconds ?? ""} ?selected=${seconds === chosen}>${restLabel(seconds)}</option>`)}
    </select>
  </label>`;
}

/** @param {boolean} [isChosen] */
export function coachField(isChosen = false) {
  return html`<label class="switch"
    ><span>${translate("coach.option")}<small>${translate("coach.option_help")}</small></span>
    <input type="checkbox" role="switch" name="coach" ?checked=${isChosen}
  /></label>`;
}

/** The usual choices, and another one if a program has chosen it. @param {(number | null)[]} usual @param {number | null} chosen */
const offered = (usual, chosen) => (usual.includes(chosen) ? usual : [...usual, chosen]);

/**
 * The setup that a form with these fields describes.
 * @param {HTMLFormElement} form
 * @param {OptionInfo[]} options
 * @returns {Setup}
 */
export function readSetup(form, options) {
  const fields = new FormData(form);
  return {
    seats: Number(fields.get("seats")),
    options: Object.fromEntries(options.map((option) => [option.name, optionValue(option, fields)])),
    ...JSON.parse(String(fields.get("clock"))),
    rest: fields.get("rest") ? Number(fields.get("rest")) : null,
    coach: fields.has("coach"),
  };
}

/**
 * @param {OptionInfo} option
 * @param {FormData} fields
 */
function optionValue(option, fields) {
  const name = `option.${option.name}`;
  return typeof option.default === "boolean" ? fields.has(name) : option.choices[Number(fields.get(name))].value;
}

/** @param {Clock} clock */
export function clockLabel({ clock, bank, increment }) {
  if (bank !== null) return translate("new.bank", { time: duration(bank), increment: duration(increment) });
  return clock === null ? translate("new.clock_none") : translate("new.clock_per_move", { time: duration(clock) });
}

/** @param {number} seconds */
function duration(seconds) {
  if (seconds < 60) return translate("new.clock_seconds", { n: seconds });
  return seconds < 3600
    ? translate("new.clock_minutes", { n: seconds / 60 })
    : translate("new.clock_hours", { n: seconds / 3600 });
}

/** @param {number | null} seconds */
export function restLabel(seconds) {
  if (seconds === null) return translate("new.rest_none");
  return seconds ? translate("new.rest_limit", { n: seconds }) : translate("new.rest_unlimited");
}
