/** The lobby: all games, one touch from playing; tables that are under way. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { go, newAddress, rulesAddress, tableAddress } from "../addresses.js";
import { inform } from "../notices.js";
import { icon } from "../parts/symbols.js";
import { allBots, allGames, allTables, makeTable } from "../server.js";
import { visitor } from "../visitor.js";
import { say } from "../words.js";

/** @typedef {import("../types.js").GameInfo} GameInfo */
/** @typedef {import("../types.js").Summary} Summary */

const REFRESH_MILLISECONDS = 15000;
const PREPARING_MILLISECONDS = 3000;

class LobbyPage extends LitElement {
  static properties = {
    games: { state: true },
    tables: { state: true },
    failure: { state: true },
    isBusy: { state: true },
  };

  constructor() {
    super();
    /** @type {GameInfo[]} */
    this.games = [];
    /** @type {{open: Summary[], mine: Summary[]}} */
    this.tables = { open: [], mine: [] };
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
    this.timer = setInterval(() => document.hidden || this.refresh(), REFRESH_MILLISECONDS);
    this.preparing = setInterval(() => document.hidden || this.refreshGames(), PREPARING_MILLISECONDS);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.timer);
    clearInterval(this.preparing);
  }

  async load() {
    this.failure = "";
    try {
      [this.games, this.tables] = await Promise.all([allGames(), allTables()]);
    } catch {
      this.failure = say("app.no_server");
    }
  }

  async refresh() {
    this.tables = await allTables().catch(() => this.tables);
  }

  /** Until every game is ready: a server opens before it has compiled them. */
  async refreshGames() {
    if (this.games.every((game) => game.is_ready)) return;
    this.games = await allGames().catch(() => this.games);
  }

  render() {
    return html`<div class="lobby page">
      <div class="welcome">
        <h1>Tablée</h1>
        <p>${say("app.motto")}</p>
      </div>
      ${this.failure ? this.sorry() : nothing}
      ${this.tableList(
        "mine",
        this.tables.mine.filter(({ phase }) => phase !== "over"),
      )}
      <section aria-labelledby="lobby-games">
        <h2 id="lobby-games" class="visually-hidden">${say("lobby.games")}</h2>
        <ul class="covers">
          ${this.games.map((game) => this.game(game))}
        </ul>
      </section>
      ${this.games.length ? this.openTables() : nothing}
    </div>`;
  }

  sorry() {
    return html`<div class="empty-state">
      <p>${this.failure}</p>
      <button class="button primary" @click=${this.load}>${say("app.try_again")}</button>
    </div>`;
  }

  /** @param {GameInfo} game */
  game(game) {
    const [low, high] = game.seats;
    const seats = say(low === high ? "lobby.seats_one" : "lobby.seats_range", { low, high });
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
          ><span>${icon("clock")} ${say("lobby.minutes", { n: game.minutes })}</span>
        </p>
        ${game.is_ready ? nothing : html`<p class="preparing" role="status">${say("lobby.preparing")}</p>`}
      </div>
      <div class="game-actions">
        <button
          class="button primary"
          ?disabled=${this.isBusy || !game.is_ready}
          aria-label=${say("lobby.play_now_of", { title: game.title })}
          @click=${() => this.playNow(game)}
        >
          ${say("lobby.play_now")}
        </button>
        <a class="button" href=${newAddress(game.name)} aria-label=${say("lobby.invite_of", { title: game.title })}
          >${say("lobby.invite")}</a
        >
        <a
          class="button quiet"
          href=${rulesAddress(game.name)}
          aria-label=${say("lobby.rules_of", { title: game.title })}
          >${say("lobby.rules")}</a
        >
      </div>
    </li>`;
  }

  /** @param {GameInfo} game */
  async playNow(game) {
    this.isBusy = true;
    try {
      await visitor.beSomebody();
      const bots = await allBots();
      const bot = bots[Math.floor(bots.length / 2)].name;
      const seats = game.usual_seats;
      const wish = {
        game: game.name,
        seats,
        options: {},
        is_open: false,
        clock: null,
        bots: Array(seats - 1).fill(bot),
        sits: true,
      };
      const table = await makeTable(wish);
      go(tableAddress(table.id));
    } catch (refusal) {
      inform(/** @type {Error} */ (refusal).message);
    } finally {
      this.isBusy = false;
    }
  }

  openTables() {
    const tables = this.tables.open.filter(({ your_seat: seat }) => seat === null);
    if (tables.length) return this.tableList("open", tables);
    return html`<section class="tables">
      <h2>${say("lobby.open")}</h2>
      <p class="quiet">${say("lobby.none")}</p>
    </section>`;
  }

  /**
   * @param {"mine" | "open"} which
   * @param {Summary[]} tables
   */
  tableList(which, tables) {
    if (!tables.length) return nothing;
    return html`<section class="tables">
      <h2>${say(`lobby.${which}`)}</h2>
      <ul>
        ${tables.map((table) => this.table(table))}
      </ul>
    </section>`;
  }

  /** @param {Summary} table */
  table(table) {
    const people = table.seats.filter(({ kind }) => kind !== "empty").map(({ name }) => name);
    const free = table.seats.filter(({ kind }) => kind === "empty").length;
    const state = free ? say("lobby.free", { n: free }) : say(`lobby.phase.${table.phase}`);
    const invitation = table.your_seat !== null ? "continue" : free ? "join" : "watch";
    return html`<li>
      <a class="table-line" href=${tableAddress(table.id)}>
        <span class="table-title">${table.title}</span>
        <span class="table-people">${people.join(", ")}</span>
        <span class=${table.is_your_turn ? "badge lit" : "badge"}
          >${table.is_your_turn ? say("lobby.your_turn") : state}</span
        >
        <span class="table-go">${say(`lobby.${invitation}`)}</span>
      </a>
    </li>`;
  }
}

customElements.define("lobby-page", LobbyPage);
