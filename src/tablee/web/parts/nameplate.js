/** The line about a player above the pieces: name, bot, presence, clock and points. */

import { html, nothing } from "../vendor/lit.js";
import { clockText, timeOfDay } from "../time.js";
import { translate } from "../words.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").SeatShown & {away?: import("../types.js").PresenceShown | null}} Seat */

/**
 * @param {Seat | undefined} seat
 * @param {{name: string, score: number, isOnTurn: boolean, badges: unknown}} shown badges: of the game
 */
export function nameplate(seat, { name, score, isOnTurn, badges }) {
  return html`
    ${isOnTurn ? html`<span class="turn-mark" role="img" aria-label=${translate("table.on_turn")}>${icon("turn")}</span>` : nothing}
    <span class="strip-name">${name}</span>
    ${botMark(seat)} ${awayMark(seat)}
    ${badges} ${timeLeft(seat)}
    <span class="strip-score"
      ><span class="visually-hidden">${translate("table.points")}</span>${score}<small class="unit" aria-hidden="true"
        >${translate("table.points_unit")}</small
      ></span
    >
  `;
}

/** The level of the bot that plays in a seat, for itself or in a person's place. @param {Seat | undefined} seat */
function botMark(seat) {
  if (!seat || seat.bot === null) return nothing;
  const { kind, level } = seat;
  const text = translate(kind === "bot" ? "table.bot_level" : "table.bot_stands_in", { level });
  return html`<span class="tag bot-mark" title=${text}
    >${icon("bot")}<span class="visually-hidden">${text}</span><span class="bot-level" aria-hidden="true">${level}</span></span
  >`;
}

/** That the person in a seat is not connected. @param {Seat | undefined} seat */
function awayMark(seat) {
  const away = seat?.away ?? null;
  if (!seat || !away || seat.bot !== null) return nothing;
  const time = away.away_since === null ? "" : timeOfDay(away.away_since);
  const text = time ? translate("table.away_since", { time }) : translate("table.away");
  return html`<span class="tag away-mark" title=${text}>${icon("moon")}<span class="visually-hidden">${text}</span></span>`;
}

/** What is left in a seat's time bank when its turn begins. @param {Seat | undefined} seat */
function timeLeft(seat) {
  const seconds = seat?.time_left ?? null;
  if (seconds === null) return nothing;
  const time = clockText(seconds);
  return html`<span class="time-left" title=${translate("table.time_left", { time })}
    ><span class="visually-hidden">${translate("table.time_left", { time })}</span><span aria-hidden="true">${time}</span></span
  >`;
}
