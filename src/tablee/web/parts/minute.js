/** How to play a game in a minute, and its guided round. */

import { html, nothing } from "../vendor/lit.js";
import { learn } from "../learn.js";
import { translate } from "../words.js";

const PARTS = /** @type {const} */ (["aim", "turn", "end", "advice"]);

/** @param {import("../types.js").GameInfo} game */
export function minute({ name, minute: text, has_lesson: hasLesson }) {
  if (!text && !hasLesson) return nothing;
  return html`<section class="minute" aria-labelledby="minute-title">
    <h2 id="minute-title">${translate("minute.title")}</h2>
    ${text ? html`<dl>${PARTS.map((part) => html`<dt>${translate(`minute.${part}`)}</dt><dd>${text[part]}</dd>`)}</dl>` : nothing}
    ${
      hasLesson
        ? html`<p class="minute-learn">
            <button type="button" class="button" @click=${() => learn(name)}>${translate("lesson.learn")}</button>
            <span class="help">${translate("lesson.help")}</span>
          </p>`
        : nothing
    }
  </section>`;
}
