/** Which board draws a table: the game's own if it brings one, else the general one (docs/web.md). */

import { LitElement } from "./vendor/lit.js";
import { inform } from "./notices.js";
import { findGame } from "./server.js";
import { addStyle } from "./styles.js";
import { say } from "./words.js";

const GENERAL = "general-board";
const ATTEMPTS = 5; // to fetch a game's board; then the general one draws it

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
    /** @type {(picking: import("./selection.js").Picking) => void} */
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
  const { board, style } = await persistently(() => findGame(game));
  if (!board) return generalBoard();
  const tag = `${game.replaceAll("_", "-")}-board`;
  try {
    const { default: GameBoard } = await persistently(async (attempt) => {
      // Another address each time: some browsers remember for ever that a module could not be fetched.
      const [module] = await Promise.all([import(attempt ? `${board}?attempt=${attempt}` : board), style && addStyle(style)]);
      return module;
    });
    if (!customElements.get(tag)) customElements.define(tag, GameBoard);
    return tag;
  } catch (reason) {
    inform(say("app.error", { why: /** @type {Error} */ (reason).message }));
    return generalBoard();
  }
}

/**
 * Do again what failed, when the browser is online or a little later: it may have been asked for as the connection went.
 * @template T
 * @param {(attempt: number) => Promise<T>} work
 */
async function persistently(work) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (reason) {
      if (attempt === ATTEMPTS - 1) throw reason;
    }
    await new Promise((resolve) => {
      if (navigator.onLine) setTimeout(resolve, 500 * 2 ** attempt);
      else addEventListener("online", resolve, { once: true });
    });
  }
}

/** Make the board ready that draws any game. */
async function generalBoard() {
  const { GeneralBoard } = await import("./parts/general-board.js");
  if (!customElements.get(GENERAL)) customElements.define(GENERAL, GeneralBoard);
  return GENERAL;
}

customElements.define("board-holder", BoardHolder);
