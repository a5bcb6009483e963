/** The lobby: all games, the player's tables and the open ones. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { DAILY, newAddress, puzzleAddress, rulesAddress, tableAddress } from "../addresses.js";
import { serverAddress } from "../parts/server-address.js";
import { icon } from "../parts/symbols.js";
import { getAddress, listGames, listTables } from "../api.js";
import { learn } from "../learn.js";
import { playWithBots } from "../play-with-bots.js";
import { translate } from "../words.js";

/** @typedef {import("../types.js").GameInfo} GameInfo */
/** @typedef {import("../types.js").TableSummary} TableSummary */

const REFRESH_MILLISECONDS = 15000;
const COMPILING_MILLISECONDS = 3000;

class LobbyPage extends LitElement {
  static properties = {
    games: { state: true },
    tables: { state: true },
    address: { state: true },
    failure: { state: true },
    isBusy: { state: true },
  };

  constructor() {
    super();
    /** @type {GameInfo[]} */
    this.games = [];
    /** @type {import("../types.js").Lobby} */
    this.tables = { open: [], mine: [] };
    /** @type {import("../types.js").ServerAddress | null} */
    this.address = null;
    this.failure = "";
    this.isBusy = false;
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    document.title = "Tablée";
    this.load();
    this.refreshTimer = setInterval(() => document.hidden || this.refresh(), REFRESH_MILLISECONDS);
    this.compilingTimer = setInterval(() => document.hidden || this.refreshGames(), COMPILING_MILLISECONDS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.refreshTimer);
    clearInterval(this.compilingTimer);
  }

  async load() {
    this.failure = "";
    try {
      [this.games, this.tables] = await Promise.all([listGames(), listTables()]);
    } catch {
      this.failure = translate("app.no_server");
    }
    this.address = await getAddress().catch(() => null);
  }

  async refresh() {
    this.tables = await listTables().catch(() => this.tables);
    const isOwnTurn = this.tables.mine.some((table) => table.is_your_turn);
    document.title = isOwnTurn ? translate("table.turn_title", { title: "Tablée" }) : "Tablée";
  }

  /** Ask until every game is compiled: the server starts before. */
  async refreshGames() {
    if (this.games.every(({ compiled }) => compiled === 1)) return;
    this.games = await listGames().catch(() => this.games);
  }

  render() {
    return html`<div class="lobby page">
      <div class="welcome">
        <h1>Tablée</h1>
        <p>${translate("app.motto")}</p>
      </div>
      ${this.failure ? this.failureMessage() : nothing}
      <a class="table-line daily-line" href=${DAILY}>
        <span class="table-title">${translate("daily.title")}</span>
        <span class="table-players">${translate("daily.line")}</span>
        <span class="table-go">${translate("daily.play")}</span>
      </a>
      ${this.tableList(
        "mine",
        this.tables.mine.filter(({ phase }) => phase !== "over"),
      )}
      <section aria-labelledby="lobby-games">
        <h2 id="lobby-games" class="visually-hidden">${translate("lobby.games")}</h2>
        <ul class="covers">
          ${this.games.map((game) => this.game(game))}
        </ul>
      </section>
      ${this.games.length ? this.openTables() : nothing} ${this.address ? serverAddress(this.address) : nothing}
    </div>`;
  }

  failureMessage() {
    return html`<div class="empty-state">
      <p>${this.failure}</p>
      <button class="button primary" @click=${this.load}>${translate("app.try_again")}</button>
    </div>`;
  }

  /** @param {GameInfo} game */
  game(game) {
    const [low, high] = game.seats;
    const seats = translate(low === high ? "lobby.seats_one" : "lobby.seats_range", { low, high });
    return html`<li class="game-card">
      <img
        class=${game.cover ? "cover" : "cover bare"}
        src=${game.cover ?? "/icon.svg"}
        alt=""
        width="400"
        height="170"
      />
      <div class="game-words">
        <h3>${game.title}</h3>
        <p class="tagline">${game.tagline}</p>
        <p class="figures">
          <span>${icon("people")} ${seats}</span
          ><span>${icon("clock")} ${translate("lobby.minutes", { n: game.minutes })}</span>
        </p>
        ${game.compiled < 1 ? this.progress(game) : nothing}
      </div>
      <div class="game-actions">
        <button
          class="button primary"
          ?disabled=${this.isBusy}
          aria-label=${translate("lobby.play_now_of", { title: game.title })}
          @click=${() => this.playNow(game)}
        >
          ${translate("lobby.play_now")}
        </button>
        ${game.has_lesson ? this.learnButton(game) : nothing}
        ${game.puzzles ? html`<a class="button" href=${puzzleAddress(game.name)} aria-label=${translate("puzzles.of", { title: game.title })}>${translate("puzzles.title")}</a>` : nothing}
        <a class="button" href=${newAddress(game.name)} aria-label=${translate("lobby.invite_of", { title: game.title })}
          >${translate("lobby.invite")}</a
        >
        <a
          class="button quiet"
          href=${rulesAddress(game.name)}
          aria-label=${translate("lobby.rules_of", { title: game.title })}
          >${translate("lobby.rules")}</a
        >
      </div>
    </li>`;
  }

  /** @param {GameInfo} game */
  learnButton({ name, title }) {
    return html`<button
      class="button learn"
      ?disabled=${this.isBusy}
      aria-label=${translate("lesson.learn_of", { title })}
      @click=${() => learn(name)}
    >
      ${translate("lesson.learn")}
    </button>`;
  }

  /** How much of a game is compiled; it can be played meanwhile. @param {GameInfo} game */
  progress({ title, compiled }) {
    return html`<p class="compiling">
      <progress value=${compiled} aria-label=${translate("lobby.compiling_of", { title })}></progress>
      ${translate("lobby.compiling")}
    </p>`;
  }

  /** @param {GameInfo} game */
  async playNow(game) {
    this.isBusy = true;
    await playWithBots(game);
    this.isBusy = false;
  }

  openTables() {
    const tables = this.tables.open.filter(({ your_seat: seat }) => seat === null);
    if (tables.length) return this.tableList("open", tables);
    return html`<section class="tables">
      <h2>${translate("lobby.open")}</h2>
      <p class="quiet">${translate("lobby.none")}</p>
    </section>`;
  }

  /**
   * @param {"mine" | "open"} which
   * @param {TableSummary[]} tables
   */
  tableList(which, tables) {
    if (!tables.length) return nothing;
    return html`<section class="tables">
      <h2>${translate(`lobby.${which}`)}</h2>
      <ul>
        ${tables.map((table) => this.table(table))}
      </ul>
    </section>`;
  }

  /** @param {TableSummary} table */
  table(table) {
    const players = table.seats.filter(({ kind }) => kind !== "empty").map(({ name }) => name);
    const free = table.seats.filter(({ kind }) => kind === "empty").length;
    const action = this.actionFor(table, free);
    return html`<li>
      <a class="table-line" href=${tableAddress(table.id)}>
        <span class="table-title"
          >${this.titleOf(table)}${table.has_coach ? html` <span class="tag coach-mark">${icon("coach")} ${translate("coach.title")}</span>` : nothing}</span
        >
        <span class="table-players">${players.join(", ")}</span>
        <span class=${table.is_your_turn ? "badge lit" : "badge"}>${this.statusOf(table, free)}</span>
        <span class="table-go">${translate(`lobby.${action}`)}</span>
      </a>
    </li>`;
  }

  /** @param {TableSummary} table */
  titleOf({ title, day, is_lesson: isLesson }) {
    if (day) return translate("daily.title_of", { title });
    return isLesson ? translate("lesson.title", { title }) : title;
  }

  /**
   * What the viewer can do at a table; a seat that is kept for them is theirs with one more tap.
   * @param {TableSummary} table
   * @param {number} free
   */
  actionFor({ your_seat: seat, kept_seat: kept, phase, is_locked: isLocked }, free) {
    if (seat !== null) return "continue";
    if (kept !== null && !isLocked) return phase === "gathering" ? "sit_down" : "sit_again";
    return free && !isLocked ? "join" : "watch";
  }

  /**
   * Whose turn it is, or what the table waits for.
   * @param {TableSummary} table
   * @param {number} free
   */
  statusOf(table, free) {
    if (table.is_your_turn) return translate("lobby.your_turn");
    if (table.is_locked && table.your_seat === null) return translate("lobby.locked");
    if (free && table.your_seat === null) return translate("lobby.free", { n: free });
    const mover = table.on_turn === null ? null : table.seats[table.on_turn];
    if (mover && table.your_seat !== null) return translate("lobby.turn_of", { name: mover.name });
    return translate(`lobby.phase.${table.phase}`);
  }
}

customElements.define("lobby-page", LobbyPage);
