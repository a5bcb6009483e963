/** The coach at a table: above the moves, and in the waiting room; what it says, and who has to agree. */

import { html, nothing } from "../vendor/lit.js";
import { isAvailable } from "../commands.js";
import { STEPS } from "../coaching.js";
import { translate } from "../words.js";
import { beliefTable } from "./beliefs.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").TableShown} TableShown */
/** @typedef {import("../coaching.js").CoachController} CoachController */
/** @typedef {(command: import("../commands.js").Command) => void} OnCommand */

/**
 * What the coach says, above the dock with the moves.
 * @param {TableShown} table
 * @param {CoachController} coach
 * @param {unknown} dock
 * @param {OnCommand} onCommand
 */
export function tableCoach(table, coach, dock, onCommand) {
  const content = coach.warning ? warning(coach) : table.coach?.is_on ? help(table, coach) : consent(table, onCommand);
  return html`<div class="coached">
    <section class="coach at-table" aria-label=${translate("coach.title")}>${content}</section>
    ${dock}
  </div>`;
}

/**
 * A heading with buttons, and below what is said.
 * @param {string} title
 * @param {unknown} actions
 * @param {unknown} said
 */
const spoken = (title, actions, said) => html`<div class="coach-head">
    <h2>${icon("coach")} ${title}</h2>
    ${actions}
  </div>
  <div class="coach-words" tabindex="0">${said}</div>`;

/**
 * @param {TableShown} table
 * @param {CoachController} coach
 */
function help(table, coach) {
  const beliefs = html`<button class="button small" aria-pressed=${coach.wonders} @click=${() => coach.toggleWondering()}>
    ${translate("beliefs.show")}
  </button>`;
  const said = html`${coach.beliefs ? beliefTable(coach.beliefs) : nothing} ${words(table, coach)}`;
  const actions = html`${hintButton(table, coach)} ${isAvailable(table, "beliefs") ? beliefs : nothing}`;
  return spoken(translate("coach.title"), actions, said);
}

/**
 * The hint as far as it was asked for, the last step first: on a phone there is room for it.
 * @param {TableShown} table
 * @param {CoachController} coach
 */
function words(table, { hint, step, asking }) {
  if (hint && step) {
    const good = hint.good.map(({ label }) => label).join(translate("coach.or"));
    const said = [hint.look, translate("coach.good", { moves: good }), hint.why].slice(0, step);
    return said.reverse().map((text, age) => html`<p class=${age ? "quiet" : ""}>${text}</p>`);
  }
  if (asking) return html`<p class="quiet">${translate("coach.thinking")}</p>`;
  return html`<p class="quiet">${translate(isAvailable(table, "hint") ? "coach.ask" : "coach.wait")}</p>`;
}

/**
 * @param {TableShown} table
 * @param {CoachController} coach
 */
function hintButton(table, coach) {
  if (!isAvailable(table, "hint") || coach.step >= STEPS) return nothing;
  const label = translate(`coach.${["hint", "which", "why"][coach.step]}`);
  return html`<button class="button small primary" ?disabled=${coach.asking !== null} @click=${() => coach.next()}>
    ${label}
  </button>`;
}

/** @param {CoachController} coach */
function warning(coach) {
  const actions = html`<button class="button small primary" @click=${() => coach.answerWarning(false)}>
      ${translate("coach.back")}
    </button>
    <button class="button small" @click=${() => coach.answerWarning(true)}>${translate("coach.anyway")}</button>`;
  return spoken(translate("coach.sure"), actions, html`<p role="alert">${coach.warning?.text}</p>`);
}

/**
 * Who has to agree, with a button for who has not.
 * @param {TableShown} table
 * @param {OnCommand} onCommand
 */
export function consent({ coach, seats, commands }, onCommand) {
  if (!coach) return nothing;
  const names = coach.waiting.map((seat) => seats[seat].name).join(", ");
  const offered = commands.filter(({ type }) => type === "accept_coach" || type === "decline_coach");
  const buttons = offered.map(
    ({ type, label }) =>
      html`<button class="button small" data-command=${type} @click=${() => onCommand(/** @type {any} */ ({ type }))}>
        ${label}
      </button>`,
  );
  const said = coach.waiting.length ? translate("coach.waiting", { names }) : translate("coach.agreed");
  return spoken(translate("coach.title"), buttons, html`<p>${said}</p>`);
}
