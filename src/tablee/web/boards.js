/** Loads the board that draws a table: the game's own if it has one, else the general board (docs/web.md). */

import { LitElement } from "./vendor/lit.js";
import { notify } from "./notifications.js";
import { getGame } from "./api.js";
import { addStyle } from "./styles.js";
import { translate } from "./words.js";

const GENERAL = "general-board";
const MAX_ATTEMPTS = 5; // to load a game's board; after them the general board is used

/** Holds the board of a table and sets its properties. Calls `onChoose`, `onExplain`, `onSelect`. */
class BoardHolder extends LitElement {
  static properties = {
    table: { attribute: false },
    events: { attribute: false },
    points: { attribute: false },
    tag: { state: true },
  };

  constructor() {
    super();
    /** @type {import("./types.js").TableShown} */
    this.table = /** @type {any} */ (null); // set before the first render
    /** @type {import("./types.js").GameEvent[]} of the last move */
    this.events = [];
    /** @type {string[]} ids of what the coach of a guided round points at */
    this.points = [];
    this.tag = "";
    /** @type {import("./parts/board.js").Board | null} */
    this.board = null;
    /** @type {(move: string) => void} */
    this.onChoose = () => {};
    /** @type {(question: import("./watched-table.js").Question) => void} */
    this.onExplain = () => {};
    /** @type {(selection: import("./selection.js").Selection) => void} */
    this.onSelect = () => {};
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    this.tag = await loadBoard(this.table);
  }

  updated() {
    if (!this.tag || !this.table.view) return;
    if (this.board?.localName !== this.tag) this.board = this.mount(this.tag);
    const { view, seats, queued } = this.table;
    Object.assign(this.board, { view, seats, events: this.events, isQueued: queued !== null, points: this.points });
  }

  /** @param {string} tag */
  mount(tag) {
    const board = /** @type {import("./parts/board.js").Board} */ (document.createElement(tag));
    board.onChoose = (move) => this.onChoose(move);
    board.onExplain = (question) => this.onExplain(question);
    board.addEventListener("selection", (event) => this.onSelect(/** @type {CustomEvent} */ (event).detail));
    this.replaceChildren(board);
    return board;
  }
}

/**
 * Load the board of a table's game and return the tag of its element.
 * @param {import("./types.js").TableShown} table
 */
async function loadBoard({ game, phase, seats }) {
  const { board, style, compiled } = await retry(() => getGame(game));
  const hasBots = phase === "playing" && seats.some(({ bot }) => bot);
  if (hasBots && compiled < 1) notify(translate("table.interpreted", { percent: Math.round(100 * compiled) }));
  if (!board) return loadGeneralBoard();
  const tag = `${game.replaceAll("_", "-")}-board`;
  try {
    const { default: GameBoard } = await retry(async (attempt) => {
      // A new address for each attempt: some browsers cache the failure to load a module.
      const [module] = await Promise.all([import(attempt ? `${board}?attempt=${attempt}` : board), style && addStyle(style)]);
      return module;
    });
    if (!customElements.get(tag)) customElements.define(tag, GameBoard);
    return tag;
  } catch (reason) {
    notify(translate("app.error", { why: /** @type {Error} */ (reason).message }));
    return loadGeneralBoard();
  }
}

/**
 * Repeat what fails, after a pause or when the browser is online again: the connection may just have been lost.
 * @template T
 * @param {(attempt: number) => Promise<T>} work
 */
async function retry(work) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (reason) {
      if (attempt === MAX_ATTEMPTS - 1) throw reason;
    }
    await new Promise((resolve) => {
      if (navigator.onLine) setTimeout(resolve, 500 * 2 ** attempt);
      else addEventListener("online", resolve, { once: true });
    });
  }
}

/** Load the board that draws any game. */
async function loadGeneralBoard() {
  const { GeneralBoard } = await import("./parts/general-board.js");
  if (!customElements.get(GENERAL)) customElements.define(GENERAL, GeneralBoard);
  return GENERAL;
}

customElements.define("board-holder", BoardHolder);
