/** A puzzle: the position as its player sees it, one answer, and why it is right or wrong. The server judges. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { LOBBY, puzzleAddress, PUZZLES, rulesAddress, navigate } from "../addresses.js";
import { explainPuzzle, getGame, getPuzzle, tryPuzzle } from "../api.js";
import { announce, capitalize, notify } from "../notifications.js";
import { choiceButtons } from "../parts/choices.js";
import { standing } from "../parts/puzzle-ratings.js";
import { icon } from "../parts/symbols.js";
import { setting } from "../settings.js";
import { translate } from "../words.js";
import "../boards.js";

class PuzzlePage extends LitElement {
  static properties = {
    game: { attribute: false },
    puzzleId: { attribute: false },
    title: { state: true },
    puzzle: { state: true },
    attempt: { state: true },
    selection: { state: true },
    isBusy: { state: true },
    failure: { state: true },
  };

  constructor() {
    super();
    this.game = "";
    this.puzzleId = ""; // empty: the next one for this player
    this.title = "";
    /** @type {import("../types.js").PuzzleShown | null} */
    this.puzzle = null;
    /** @type {import("../types.js").AttemptShown | null} */
    this.attempt = null;
    /** @type {import("../selection.js").Selection | null} */
    this.selection = null;
    this.isBusy = false;
    this.failure = "";
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    try {
      this.title = (await getGame(this.game)).title;
      document.title = `${translate("puzzles.of", { title: this.title })} · Tablée`;
      await this.show(this.puzzleId);
    } catch (refusal) {
      this.failure = /** @type {Error} */ (refusal).message;
    }
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    document.title = "Tablée";
  }

  /** Show a puzzle, or the next one. @param {string} id @param {string} [after] */
  async show(id, after) {
    this.puzzle = await getPuzzle(this.game, id, after);
    this.attempt = null;
    this.selection = null;
    history.replaceState(null, "", puzzleAddress(this.game, this.puzzle.id));
  }

  async next() {
    await this.whileBusy(() => this.show("", this.puzzle?.id));
    document.getElementById("main")?.focus();
    scrollTo(0, 0);
  }

  again() {
    this.attempt = null;
    this.selection = null;
  }

  /** @type {(move: string) => void} */
  play = (move) => {
    const { puzzle } = this;
    if (!puzzle || this.attempt || this.isBusy) return;
    void this.whileBusy(async () => {
      this.attempt = await tryPuzzle(this.game, puzzle.id, move);
      announce([this.attempt.verdict, ...this.attempt.reasons].join(" "));
      await this.updateComplete;
      const answer = /** @type {HTMLElement | null} */ (this.querySelector(".puzzle-answer"));
      answer?.focus({ preventScroll: true });
      answer?.scrollIntoView({ block: "nearest" });
    });
  };

  /** Run a request once at a time, and show why it was refused. @param {() => Promise<void>} request */
  async whileBusy(request) {
    this.isBusy = true;
    try {
      await request();
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    } finally {
      this.isBusy = false;
    }
  }

  /** @type {(question: import("../watched-table.js").Question) => Promise<void>} */
  explain = async (question) => {
    if (!this.puzzle || this.attempt) return;
    try {
      const { text, clause } = await explainPuzzle(this.game, this.puzzle.id, question);
      const show = () => navigate(rulesAddress(this.game, clause ?? ""));
      notify(capitalize(text), clause ? { label: translate("table.clause", { clause }), run: show } : null);
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    }
  };

  render() {
    if (this.failure)
      return html`<div class="page empty-state">
        <h1>${translate("puzzles.title")}</h1>
        <p>${this.failure}</p>
        <a class="button primary" href=${LOBBY}>${translate("app.to_lobby")}</a>
      </div>`;
    const { puzzle, attempt } = this;
    if (!puzzle) return nothing;
    const best = attempt?.moves.find(({ is_best: isBest }) => isBest)?.move;
    const choices = attempt ? puzzle.view.choices.filter(({ text }) => text === best) : puzzle.view.choices;
    const table = { game: this.game, view: { ...puzzle.view, choices }, seats: puzzle.seats, queued: null };
    return html`<div class="table-page puzzle">
      <div class="toolbar">
        <a class="icon-button" href=${LOBBY} aria-label=${translate("app.home")}
          ><img src="/icon.svg" alt="" width="30" height="30"
        /></a>
        <h1>${translate("puzzles.of", { title: this.title })}</h1>
        <span class="bar-space"></span>
        <a class="button small" href=${PUZZLES}>${translate("puzzles.all")}</a>
      </div>
      <div class="play-area">
        <board-holder
          .table=${table}
          .events=${[]}
          .onChoose=${this.play}
          .onExplain=${this.explain}
          .onSelect=${(/** @type {any} */ selection) => (this.selection = selection)}
        ></board-holder>
        <section class="replay-dock" aria-label=${translate("puzzles.find")}>
          ${attempt ? this.answer(attempt) : this.question(puzzle)}
          <p class="figures">
            <span>${translate("puzzles.number", { number: puzzle.number, of: puzzle.count })}</span>
            <span>${translate("puzzles.difficulty", { rating: puzzle.rating })}</span>
          </p>
        </section>
      </div>
    </div>`;
  }

  /** @param {import("../types.js").PuzzleShown} puzzle */
  question({ view, is_tried: isTried, you }) {
    return html`<p class="prompt"><strong>${translate("puzzles.find")}</strong> ${view.prompt}</p>
      ${isTried ? html`<p class="help">${translate("puzzles.tried")}</p>` : nothing}
      ${choiceButtons(view.choices, this.selection, this.play)}
      ${you?.tried ? html`<p class="quiet">${standing(you)}</p>` : nothing}`;
  }

  /** @param {import("../types.js").AttemptShown} attempt */
  answer({ is_solved: isSolved, verdict, reasons, moves, you, is_counted: isCounted }) {
    return html`<div class=${isSolved ? "puzzle-answer is-solved" : "puzzle-answer"} tabindex="-1">
        <p class="puzzle-verdict">${icon(isSolved ? "done" : "close")} ${verdict}</p>
        <ul class="puzzle-reasons">
          ${reasons.map((reason) => html`<li>${reason}</li>`)}
        </ul>
        ${you ? html`<p class="quiet">${standing(you)}${isCounted ? nothing : html` ${translate("puzzles.not_counted")}`}</p>` : html`<p class="help">${translate("puzzles.nameless")}</p>`}
      </div>
      <div class="page-actions">
        <button class="button primary" ?disabled=${this.isBusy} @click=${this.next}>${translate("puzzles.next")}</button>
        <button class="button" @click=${this.again}>${translate("puzzles.again")}</button>
      </div>
      <details>
        <summary>${translate("puzzles.values")}</summary>
        <p class="help">${translate("puzzles.measure")}</p>
        <table class="puzzle-values">
          <thead>
            <tr><th scope="col">${translate("puzzles.move")}</th><th scope="col">${translate("puzzles.chances")}</th></tr>
          </thead>
          <tbody>
            ${moves.map(
              ({ label, percent, is_best: isBest, is_yours: isYours }) =>
                html`<tr class=${isYours ? "is-yours" : ""}>
                  <th scope="row">
                    ${label} ${isBest ? html`<span class="tag">${translate("puzzles.best")}</span>` : nothing}
                    ${isYours ? html`<span class="tag">${translate("puzzles.yours")}</span>` : nothing}
                  </th>
                  <td>${percentage(percent)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </details>`;
  }
}

/** @param {number} percent */
const percentage = (percent) =>
  new Intl.NumberFormat(setting("language"), { style: "percent", minimumFractionDigits: 1 }).format(percent / 100);

customElements.define("puzzle-page", PuzzlePage);
