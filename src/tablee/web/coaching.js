/** The coach at one's own table: hints step by step, what hidden pieces can be, and warnings before a blunder. */

import { getBeliefs, getHint, Refusal } from "./api.js";
import { isAvailable } from "./commands.js";
import { announce, notify } from "./notifications.js";
import { withBeliefs } from "./parts/beliefs.js";
import { setting } from "./settings.js";

/** @typedef {import("./types.js").TableShown} TableShown */
/** @typedef {import("./types.js").HintShown} HintShown */

export const STEPS = 3; // what to look at, which moves are good, why
const WARNING_MILLISECONDS = 5_000; // that a move waits for the coach at most
/** @type {string[]} */
const NO_POINTS = [];

/** Asks the server while its page shows a table, and draws the page again when an answer came. */
export class CoachController {
  /** @param {import("./vendor/lit.js").LitElement} page */
  constructor(page) {
    this.page = page;
    /** @type {TableShown | null} */
    this.table = null;
    /** @type {HintShown | null} about the present decision */
    this.hint = null;
    /** @type {Promise<HintShown | null> | null} */
    this.asking = null;
    this.step = 0; // of the hint that is shown; 0: none
    this.wonders = false; // whether hidden pieces show what they can be
    /** @type {import("./types.js").BeliefsShown | null} */
    this.beliefs = null;
    this.isImagining = false;
    this.imaginedAt = -1; // moves of the position that the beliefs are about
    /** @type {{move: string, text: string, isChosen: (isSure: boolean) => void} | null} a blunder that waits for an answer */
    this.warning = null;
    /** @type {TableShown | null} what `boardTable` was made from */
    this.shownTable = null;
    /** @type {import("./types.js").BeliefsShown | null} */
    this.shownBeliefs = null;
    /** @type {TableShown | null} */
    this.boardTable = null;
    page.addController(this);
  }

  hostDisconnected() {
    this.answerWarning(false);
  }

  /** Take over what the page shows now. @param {TableShown} table */
  tableChanged(table) {
    const before = this.table;
    this.table = table;
    if (before?.moves !== table.moves || before?.is_early !== table.is_early || !isAvailable(table, "hint")) {
      this.hint = this.asking = null;
      this.step = 0;
      this.answerWarning(false);
    }
    if (!isAvailable(table, "beliefs")) [this.wonders, this.beliefs] = [false, null];
    if (this.warns) void this.ask();
    if (this.wonders) void this.imagine();
  }

  /** Whether a blunder is to be pointed out before it is played. */
  get warns() {
    return setting("warnings") === "on" && this.table !== null && isAvailable(this.table, "hint");
  }

  /** Show the next step of the hint. */
  async next() {
    const hint = await this.ask();
    if (!hint) return;
    this.step = Math.min(this.step + 1, STEPS);
    announce([hint.look, hint.good.map(({ label }) => label).join(", "), hint.why][this.step - 1]);
    await this.redraw();
  }

  /** Draw the page; the focus, which may have been on a button that is gone, stays with the coach. */
  async redraw() {
    this.page.requestUpdate();
    await this.page.updateComplete;
    const words = /** @type {HTMLElement | null} */ (this.page.querySelector(".at-table .coach-words"));
    if (!document.activeElement || document.activeElement === document.body) words?.focus({ preventScroll: true });
  }

  /** The hint about the present decision; null if the server refuses, or the decision is made meanwhile. */
  ask() {
    const { table } = this;
    if (!table || !isAvailable(table, "hint")) return Promise.resolve(null);
    if (this.hint) return Promise.resolve(this.hint);
    if (this.asking) return this.asking;
    const asking = getHint(table.id)
      .catch((refusal) => this.refused(refusal))
      .then((hint) => {
        if (this.asking !== asking) return null;
        this.asking = null;
        this.hint = hint;
        this.page.requestUpdate();
        return hint;
      });
    this.asking = asking;
    this.page.requestUpdate();
    return asking;
  }

  /** @param {unknown} refusal */
  refused(refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    notify(refusal.message);
    return null;
  }

  // Hidden pieces

  toggleWondering() {
    this.wonders = !this.wonders;
    this.beliefs = null;
    this.imaginedAt = -1;
    if (this.wonders) void this.imagine();
    this.page.requestUpdate();
  }

  /** Ask what hidden pieces can be in the position that is shown, one question at a time. */
  async imagine() {
    const { table } = this;
    if (!table || this.isImagining || this.imaginedAt === table.moves) return;
    this.isImagining = true;
    const beliefs = await getBeliefs(table.id, table.moves, table.viewer, "").catch((refusal) => this.refused(refusal));
    this.isImagining = false;
    if (!this.wonders) return;
    [this.beliefs, this.imaginedAt] = [beliefs, table.moves];
    this.page.requestUpdate();
    if (beliefs && this.table?.moves !== table.moves) void this.imagine();
  }

  /** The table with what its hidden pieces can be. @param {TableShown | null} table */
  onBoard(table) {
    const beliefs = this.wonders && this.imaginedAt === table?.moves ? this.beliefs : null;
    if (!beliefs || !table?.view) return table;
    if (this.shownTable !== table || this.shownBeliefs !== beliefs) {
      this.boardTable = { ...table, view: withBeliefs(table.view, beliefs) };
      [this.shownTable, this.shownBeliefs] = [table, beliefs];
    }
    return this.boardTable;
  }

  /** Ids of what the hint points at: first where to look, then what the good moves are made with. */
  get points() {
    if (!this.hint || !this.step) return NO_POINTS;
    return this.step === 1 ? this.hint.points : this.hint.marks;
  }

  // Warnings

  /** Whether a move is to be played: asks first if it is a blunder. @param {string} move @returns {Promise<boolean>} */
  async isSure(move) {
    if (!this.warns) return true;
    const hint = await Promise.race([this.ask(), new Promise((give) => setTimeout(give, WARNING_MILLISECONDS, null))]);
    const blunder = hint?.blunders.find((/** @type {any} */ each) => each.move === move);
    if (!blunder) return true;
    announce(blunder.text);
    return new Promise((isChosen) => {
      this.warning = { move, text: blunder.text, isChosen };
      this.page.requestUpdate();
    });
  }

  /** @param {boolean} isSure */
  answerWarning(isSure) {
    if (!this.warning) return;
    this.warning.isChosen(isSure);
    this.warning = null;
    void this.redraw();
  }
}
