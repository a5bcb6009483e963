/** Which board draws a table: the game's own if it brings one, else the general one (docs/web.md). */

import { LitElement } from "./vendor/lit.js";
import { inform } from "./notices.js";
import { findGame } from "./server.js";
import { addStyle } from "./styles.js";
import { say } from "./words.js";

const GENERAL = "general-board";

/** Holds the board of a table and gives it what it needs. Calls `onChoose`, `onExplain`, `onPicked`. */
class BoardHolder extends LitElement {
  static properties = { table: { attribute: false }, told: { attribute: false }, tag: { state: true } };

  constructor() {
    super();
    /** @type {import("./types.js").Table} */
    this.table = /** @type {any} */ (null); // given before anything is drawn
    /** @type {import("./types.js").ToldEvent[]} */
    this.told = [];
    this.tag = "";
    /** @type {import("./parts/board.js").Board | null} */
    this.board = null;
    /** @type {(move: string) => void} */
    this.onChoose = () => {};
    /** @type {(move: string | null) => void} */
    this.onExplain = () => {};
    /** @type {(picking: import("./picking.js").Picking) => void} */
    this.onPicked = () => {};
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    this.tag = await boardOf(this.table.game);
  }

  updated() {
    if (!this.tag || !this.table.view) return;
    if (this.board?.localName !== this.tag) this.board = this.place(this.tag);
    const { view, seats, queued } = this.table;
    Object.assign(this.board, { view, seats, told: this.told, isQueued: queued !== null });
  }

  /** @param {string} tag */
  place(tag) {
    const board = /** @type {import("./parts/board.js").Board} */ (document.createElement(tag));
    board.onChoose = (move) => this.onChoose(move);
    board.onExplain = (move) => this.onExplain(move);
    board.addEventListener("picked", (event) => this.onPicked(/** @type {CustomEvent} */ (event).detail));
    this.replaceChildren(board);
    return board;
  }
}

/**
 * Make a game's board ready and return the name of its element.
 * @param {string} game
 */
async function boardOf(game) {
  const info = await findGame(game);
  if (!info.board) return generalBoard();
  const tag = `${game.replaceAll("_", "-")}-board`;
  try {
    const [{ default: GameBoard }] = await Promise.all([import(info.board), info.style && addStyle(info.style)]);
    if (!customElements.get(tag)) customElements.define(tag, GameBoard);
    return tag;
  } catch (reason) {
    inform(say("app.error", { why: /** @type {Error} */ (reason).message }));
    return generalBoard();
  }
}

/** Make the board ready that draws any game. */
async function generalBoard() {
  const { GeneralBoard } = await import("./parts/general-board.js");
  if (!customElements.get(GENERAL)) customElements.define(GENERAL, GeneralBoard);
  return GENERAL;
}

customElements.define("board-holder", BoardHolder);
