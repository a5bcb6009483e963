/** The coach of a guided round, below the board: what they say, and how to go on. */

import { html, nothing } from "../vendor/lit.js";
import { isAvailable } from "../commands.js";
import { LOBBY } from "../addresses.js";
import { getGame } from "../api.js";
import { learn } from "../learn.js";
import { playWithBots } from "../play-with-bots.js";
import { translate } from "../words.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").TableShown} TableShown */
/** @typedef {import("../types.js").CommandName} CommandName */

/** The commands with which the learner goes on. @type {("advance" | "retry")[]} */
const WAYS_ON = ["advance", "retry"];

/**
 * The command with which the learner goes on now; null if a move is expected, or the table moves.
 * @param {TableShown} table
 */
export const wayOn = (table) => WAYS_ON.find((type) => isAvailable(table, type)) ?? null;

/**
 * What the coach says, above the dock with the moves.
 * @param {TableShown} table
 * @param {unknown} dock
 * @param {(command: import("../commands.js").Command) => void} onCommand
 */
export function coachPanel(table, dock, onCommand) {
  const { lesson } = table;
  if (!lesson) return nothing;
  const way = wayOn(table);
  return html`<div class="coached">
    <section class="coach" aria-labelledby="coach-title">
      <div class="coach-words" tabindex="0">
        <h2 id="coach-title">${icon("coach")} ${translate("lesson.step", { step: lesson.step, steps: lesson.steps })}</h2>
        <p>${lesson.text || translate("lesson.watch")}</p>
      </div>
      ${
        way
          ? html`<button class="button primary" data-way=${way} @click=${() => onCommand({ type: way })}>
              ${translate(`lesson.${way}`)}
            </button>`
          : nothing
      }
    </section>
    ${way ? nothing : dock}
  </div>`;
}

/** What to do after a guided round. @param {TableShown} table */
export function lessonOver({ game, title }) {
  return html`<section class="dock rest coach-over" aria-labelledby="over-title">
    <div>
      <h2 id="over-title">${icon("coach")} ${translate("lesson.over", { title })}</h2>
      <p class="quiet">${translate("lesson.over_help")}</p>
      <div class="page-actions">
        <button class="button primary" @click=${async () => playWithBots(await getGame(game))}>
          ${translate("lobby.play_now")}
        </button>
        <button class="button" @click=${() => learn(game, true)}>${translate("lesson.again")}</button>
        <a class="button quiet" href=${LOBBY}>${translate("over.lobby")}</a>
      </div>
    </div>
  </section>`;
}
