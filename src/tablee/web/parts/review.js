/** The review of a finished game: asked for, awaited and read. Each mistake and each moment of luck leads to its position. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { OWN, replayAddress } from "../addresses.js";
import { getReview, requestReview } from "../api.js";
import { copyAddress } from "../clipboard.js";
import { identity } from "../identity.js";
import { announce, notify } from "../notifications.js";
import { setting } from "../settings.js";
import { translate } from "../words.js";
import { lineChart } from "./chart.js";
import { numberTable } from "./number-table.js";

/** @typedef {import("../types.js").ReviewShown} ReviewShown */
/** @typedef {import("../types.js").ShownReview} ShownReview */
/** @typedef {import("../types.js").ReviewLine} ReviewLine */

const POLL_MILLISECONDS = 1000;
const LARGEST = 5; // mistakes that are shown at once, if there are more
const WANTED = "review"; // in the query of an address: the review is asked for at once

/** The address of a game's review, beside its replay. @param {string} table @param {string | null} [invite] */
export const reviewAddress = (table, invite) => replayAddress(table, 0, OWN, invite).replace(/(?=#|$)/, `?${WANTED}`);

/** Whether the page was opened for its review. */
export const isReviewWanted = () => new URLSearchParams(location.search).has(WANTED);

/** Calls `onLine(line)` when the player wants to see the position of a line, `onShown()` when a review is shown. */
class GameReview extends LitElement {
  static properties = {
    tableId: { attribute: false },
    invite: { attribute: false },
    link: { attribute: false },
    isWanted: { attribute: false },
    shown: { state: true },
  };

  constructor() {
    super();
    this.tableId = "";
    this.invite = "";
    /** The address of this review, to be passed on. */
    this.link = "";
    /** Whether to ask for the review at once. */
    this.isWanted = false;
    /** @type {ReviewShown} */
    this.shown = { state: "none" };
    /** @type {(line: ReviewLine) => void} */
    this.onLine = () => {};
    /** @type {() => void | Promise<void>} */
    this.onShown = () => {};
  }

  createRenderRoot() {
    return this;
  }

  /** A review that is under way goes on while the page is closed. */
  async firstUpdated() {
    if (this.isWanted) {
      this.scrollIntoView();
      return this.start();
    }
    const found = await getReview(this.tableId, this.invite).catch(() => this.shown);
    if (found.state === "waiting" || found.state === "running") await this.follow(found);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  async start() {
    try {
      await identity.ensureName();
      await this.follow(await requestReview(this.tableId, this.invite));
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
    }
  }

  /** Show how far a review is until it is done. @param {ReviewShown} found */
  async follow(found) {
    this.shown = found;
    if (found.state === "done") {
      announce(translate("review.done"));
      await this.onShown();
      await this.updateComplete;
      if (this.isWanted) this.scrollIntoView();
    } else if (found.state !== "failed" && this.isConnected) {
      this.timer = setTimeout(() => this.poll(), POLL_MILLISECONDS);
    }
  }

  async poll() {
    try {
      await this.follow(await getReview(this.tableId, this.invite));
    } catch {
      this.timer = setTimeout(() => this.poll(), 3 * POLL_MILLISECONDS); // the server may be back soon
    }
  }

  // Drawing

  render() {
    const { state, review } = this.shown;
    return html`<section class="review" aria-labelledby="review-title">
      <h2 id="review-title">${translate("review.title")}</h2>
      ${review ? this.content(review) : state === "none" || state === "failed" ? this.invitation(state) : this.progress()}
    </section>`;
  }

  /** @param {string} state */
  invitation(state) {
    return html`<p class="help">${translate(state === "failed" ? "review.failed" : "review.help")}</p>
      <button class="button primary" @click=${this.start}>${translate("review.start")}</button>`;
  }

  progress() {
    const { state, done = 0, all = 0 } = this.shown;
    const text = translate(state === "waiting" || !all ? "review.waiting" : "review.running", { done, of: all });
    return html`<p>${text}</p>
      <progress max=${all || 1} value=${all ? done : nothing} aria-label=${translate("review.title")}></progress>`;
  }

  /** @param {ShownReview} review */
  content(review) {
    const series = review.chances.map(({ name, chances }) => ({
      name,
      points: /** @type {[number, number][]} */ (chances.map((chance, moves) => [moves, chance])),
    }));
    return html`${lineChart({ title: translate("review.chances"), xLabel: translate("replay.move"), series })}
      ${numberTable(translate("review.players"), review.seats)}
      <h3>${translate("review.mistakes")}</h3>
      ${this.mistakes(review)}
      <h3>${translate("review.luck")}</h3>
      ${review.moments.length ? this.lines(review.moments) : html`<p class="help">${translate("review.no_luck")}</p>`}
      <details>
        <summary>${translate("review.by_round")}</summary>
        ${numberTable(translate("review.by_round"), review.rounds)}
      </details>
      ${review.notes.map((note) => html`<p class="help">${note}</p>`)}
      <div class="page-actions">
        <a class="button" href=${this.picture} download>${translate("review.picture")}</a>
        <button class="button" @click=${() => copyAddress(this.link)}>
          ${translate("review.link")}
        </button>
      </div>`;
  }

  get picture() {
    const query = new URLSearchParams({ lang: setting("language"), ...(this.invite ? { invite: this.invite } : {}) });
    return `/api/tables/${this.tableId}/review.svg?${query}`;
  }

  /** The largest at once, all of them by round when asked for. @param {ShownReview} review */
  mistakes({ mistakes, round_starts }) {
    if (!mistakes.length) return html`<p class="help">${translate("review.no_mistakes")}</p>`;
    if (mistakes.length <= LARGEST) return this.lines(mistakes);
    const largest = [...mistakes].sort((one, other) => (other.loss ?? 0) - (one.loss ?? 0)).slice(0, LARGEST);
    return html`${this.lines(largest)} ${round_starts.map((start, index) => {
      const end = round_starts[index + 1] ?? Infinity;
      return this.mistakesOfRound(
        index + 1,
        mistakes.filter(({ number }) => number > start && number <= end),
      );
    })}`;
  }

  /**
   * @param {number} round
   * @param {ReviewLine[]} lines
   */
  mistakesOfRound(round, lines) {
    if (!lines.length) return nothing;
    return html`<details>
      <summary>${translate("review.mistakes_of_round", { round, n: lines.length })}</summary>
      ${this.lines(lines)}
    </details>`;
  }

  /** @param {ReviewLine[]} lines */
  lines(lines) {
    return html`<ul class="review-lines">
      ${lines.map(
        (line) =>
          html`<li class=${line.grade ?? ""}>
            <button @click=${() => this.onLine(line)}>${line.text}</button>
          </li>`,
      )}
    </ul>`;
  }
}

customElements.define("game-review", GameReview);
