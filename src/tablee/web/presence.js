/** Who is here and who is away: asked for again and again while a page shows a table with other people. */

import { getPresence } from "./api.js";

/** @typedef {import("./types.js").TableShown} TableShown */

const PRESENCE_MILLISECONDS = 15_000;

/** Asks while its page is in the document, and draws the page again when an answer came. */
export class PresenceController {
  /**
   * @param {import("./vendor/lit.js").LitElement} page
   * @param {() => import("./watched-table.js").WatchedTable | null} watchedTable
   */
  constructor(page, watchedTable) {
    this.page = page;
    this.watchedTable = watchedTable;
    /** @type {import("./types.js").PresenceShown[]} */
    this.present = [];
    /** @type {TableShown | null} what `boardTable` was made from */
    this.shownTable = null;
    this.shownPresent = this.present;
    /** @type {TableShown | null} */
    this.boardTable = null;
    page.addController(this);
  }

  hostConnected() {
    this.timer = setInterval(() => this.ask(), PRESENCE_MILLISECONDS);
  }

  hostDisconnected() {
    clearInterval(this.timer);
  }

  /** Ask who is there, if other people play here and the page is seen. */
  async ask() {
    const watched = this.watchedTable();
    const table = watched?.table;
    const others = table?.seats.filter(({ kind, is_you: isOwn }) => kind === "person" && !isOwn) ?? [];
    if (!watched || watched.refusal || !table || !others.length || table.phase === "over" || document.hidden) return;
    this.present = await getPresence(watched.id, watched.invite).catch(() => this.present);
    this.page.requestUpdate();
  }

  /** The table as its board shows it: after a round with its end, and with who is away. @param {TableShown} table */
  onBoard(table) {
    if (this.shownTable === table && this.shownPresent === this.present) return this.boardTable;
    const away = new Map(this.present.filter(({ is_here: isHere }) => !isHere).map((each) => [each.seat, each]));
    const seats = table.seats.map((seat) => ({ ...seat, away: away.get(seat.seat) ?? null }));
    [this.shownTable, this.shownPresent] = [table, this.present];
    this.boardTable = { ...table, seats, view: table.round_view ?? table.view };
    return this.boardTable;
  }
}
