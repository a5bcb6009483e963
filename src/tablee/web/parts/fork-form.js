/** The form that begins a table at a position of a replay: which seat one takes, against which bots, with which cards. */

import { html } from "../vendor/lit.js";
import { navigate, tableAddress } from "../addresses.js";
import { forkTable } from "../api.js";
import { identity } from "../identity.js";
import { notify } from "../notifications.js";
import { translate } from "../words.js";

/**
 * @param {import("../types.js").TableShown} table
 * @param {{moves: number, seat: number, invite: string}} position where it begins, with the seat that is proposed
 * @param {import("../types.js").BotInfo[]} bots
 */
export function forkForm(table, { moves, seat, invite }, bots) {
  return html`<form class="fork" @submit=${(/** @type {SubmitEvent} */ event) => fork(event, table.id, moves, invite)} aria-label=${translate("replay.fork")}>
    <label class="select-line"
      ><span>${translate("replay.fork_seat")}</span>
      <select name="seat">
        ${table.seats.map((each) => html`<option value=${each.seat} .selected=${each.seat === seat}>${each.name || translate("table.seat", { number: each.seat + 1 })}</option>`)}
      </select></label
    >
    <label class="select-line"
      ><span>${translate("new.level")}</span>
      <select name="bot">
        ${bots.map(({ name, label, is_usual: isUsual }) => html`<option value=${name} .selected=${isUsual}>${label}</option>`)}
      </select></label
    >
    <fieldset class="field">
      <legend>${translate("replay.cards")}</legend>
      ${["true", "imagined"].map(
        (cards) =>
          html`<label class="radio-line"
            ><input type="radio" name="cards" value=${cards} .checked=${cards === "true"} /><span
              >${translate(`replay.cards_${cards}`)}<small>${translate(`replay.cards_${cards}_help`)}</small></span
            ></label
          >`,
      )}
    </fieldset>
    <button class="button primary large">${translate("replay.fork_go")}</button>
  </form>`;
}

/**
 * @param {SubmitEvent} event
 * @param {string} tableId
 * @param {number} moves
 * @param {string} invite
 */
async function fork(event, tableId, moves, invite) {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
  try {
    await identity.ensureName();
    const settings = { moves, seat: Number(form.get("seat")), bot: String(form.get("bot")), is_imagined: form.get("cards") === "imagined" };
    navigate(tableAddress((await forkTable(tableId, settings, invite)).id));
  } catch (refusal) {
    notify(/** @type {Error} */ (refusal).message);
  }
}
