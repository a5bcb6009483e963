/** The daily tables of a day: one's only try at each, results compared with everyone's, practice, and how to check the deal. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { dailyAddress, navigate, OWN, replayAddress, tableAddress } from "../addresses.js";
import { beginDaily, getDaily, listDailyPast, practiseDaily } from "../api.js";
import { identity } from "../identity.js";
import { notify } from "../notifications.js";
import { dailyResult } from "../parts/daily-result.js";
import { reviewAddress } from "../parts/review.js";
import { setting } from "../settings.js";
import { dayText, timeOfDay } from "../time.js";
import { translate } from "../words.js";

/** @typedef {import("../types.js").DailyDay} DailyDay */
/** @typedef {import("../types.js").DailyGame} DailyGame */

const BOTS_MILLISECONDS = 5000; // until it is asked again what bots have made of a deal
const MAX_ASKED = 60; // times

class DailyPage extends LitElement {
  static properties = {
    day: { attribute: false },
    shown: { state: true },
    past: { state: true },
    failure: { state: true },
    isBusy: { state: true },
  };

  constructor() {
    super();
    this.day = ""; // YYYY-MM-DD; empty: today
    /** @type {DailyDay | null} */
    this.shown = null;
    /** @type {import("../types.js").DailyPast[]} */
    this.past = [];
    this.failure = "";
    this.isBusy = false;
    this.asked = 0;
  }

  createRenderRoot() {
    return this;
  }

  async firstUpdated() {
    document.title = `${translate("daily.title")} · Tablée`;
    await this.load();
    if (identity.me) this.past = await listDailyPast().catch(() => []);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }

  async load() {
    try {
      this.shown = await getDaily(this.day);
    } catch (refusal) {
      this.failure = /** @type {Error} */ (refusal).message;
      return;
    }
    const isWaiting = this.shown.games.some(({ result, bot_results: bots }) => result && bots.length < 2);
    if (isWaiting && this.isConnected && this.asked++ < MAX_ASKED) this.timer = setTimeout(() => this.load(), BOTS_MILLISECONDS);
  }

  render() {
    const shown = this.shown;
    return html`<div class="page daily">
      <h1>${translate("daily.title")}</h1>
      <p>${translate("daily.help")}</p>
      ${this.failure ? html`<p class="failure" role="alert">${this.failure}</p>` : nothing} ${shown ? this.content(shown) : nothing}
    </div>`;
  }

  /** @param {DailyDay} shown */
  content(shown) {
    return html`${this.days(shown)}
      <p class="figures">
        <span>${this.deadline(shown)}</span>
        ${shown.streak ? html`<span>${translate("daily.streak", { n: shown.streak })}</span>` : nothing}
      </p>
      <ul class="daily-games">
        ${inOrder(shown.games).map(
          (game) => html`<li class=${game.can_practise ? "daily-game is-over" : "daily-game"}>${this.game(shown, game)}</li>`,
        )}
      </ul>
      ${this.past.length ? this.archive() : nothing}`;
  }

  /** @param {DailyDay} shown */
  days({ day, previous, next }) {
    return html`<nav class="daily-days" aria-label=${translate("daily.days")}>
      ${previous ? html`<a class="button" href=${dailyAddress(previous)}>← ${translate("daily.earlier")}</a>` : nothing}
      <h2>${dayText(day)}</h2>
      ${next ? html`<a class="button" href=${dailyAddress(next)}>${translate("daily.later")} →</a>` : nothing}
    </nav>`;
  }

  /** What may still be done on this day, and until when. @param {DailyDay} shown */
  deadline({ now, begins_at: begins, ends_at: ends, opens_at: opens }) {
    if (now < begins) return translate("daily.begins", { time: timeOfDay(begins) });
    if (now < ends) return translate("daily.ends", { time: timeOfDay(ends) });
    return translate(now < opens ? "daily.opens" : "daily.opened", { time: timeOfDay(opens) });
  }

  /**
   * @param {DailyDay} shown
   * @param {DailyGame} game
   */
  game(shown, game) {
    return html`<h3>${game.title}</h3>
      <p class="help">
        ${translate("daily.against", { bots: summed(game.bots) })} ${game.players ? translate("daily.players", { n: game.players }) : nothing}
      </p>
      ${dailyResult(game)}
      <div class="page-actions">${this.actions(shown, game)}</div>
      ${this.proof(game)}`;
  }

  /**
   * @param {DailyDay} shown
   * @param {DailyGame} game
   */
  actions({ day, now, begins_at: begins, ends_at: ends }, { game, title, state, table, result, can_practise: canPractise }) {
    const isToday = begins <= now && now < ends;
    const label = state === "playing" ? "continue" : "play";
    const picture = `/api/daily/${day}/${game}/picture.svg?lang=${setting("language")}`;
    return html`${
      state === "playing" && table && !isToday
        ? html`<a class="button primary" href=${tableAddress(table)}>${translate("daily.continue")}</a>`
        : nothing
    }
    ${
      isToday && state !== "over"
        ? html`<button
            class="button primary"
            ?disabled=${this.isBusy}
            aria-label=${translate(`daily.${label}_of`, { title })}
            @click=${() => this.open(() => beginDaily(game))}
          >
            ${translate(`daily.${label}`)}
          </button>`
        : nothing
    }
    ${
      canPractise
        ? html`<button class="button" ?disabled=${this.isBusy} aria-label=${translate("daily.practise_of", { title })} @click=${() => this.open(() => practiseDaily(day, game))}>
            ${translate("daily.practise")}
          </button>`
        : nothing
    }
    ${
      result && table
        ? html`<a class="button" href=${replayAddress(table, 0, OWN)} aria-label=${translate("daily.replay_of", { title })}>${translate("over.replay")}</a>
            ${result.rank === null ? nothing : html`<a class="button" href=${reviewAddress(table)} aria-label=${translate("daily.review_of", { title })}>${translate("review.start")}</a>`}
            <a class="button" href=${picture} download=${`${game}-${day}.svg`} aria-label=${translate("daily.picture_of", { title })}>${translate("daily.picture")}</a>`
        : nothing
    }`;
  }

  /** The commitment, and the seed that it was made of when it is opened. @param {DailyGame} game */
  proof({ title, commitment, seed }) {
    return html`<details class="daily-proof">
      <summary aria-label=${translate("daily.check_of", { title })}>${translate("daily.check")}</summary>
      <p class="help">${translate(seed ? "daily.check_open" : "daily.check_closed")}</p>
      <p class="hash">${commitment}</p>
      ${seed ? html`<p class="hash">printf '%s 0' ${seed} | sha256sum</p>` : nothing}
    </details>`;
  }

  archive() {
    return html`<section aria-labelledby="daily-archive">
      <h2 id="daily-archive">${translate("daily.archive")}</h2>
      <div class="table-scroll" tabindex="0" role="group" aria-labelledby="daily-archive">
        <table class="scores">
          <thead>
            <tr>
              <th scope="col">${translate("statistics.when")}</th>
              <th scope="col">${translate("daily.game")}</th>
              <th scope="col">${translate("over.rank")}</th>
              <th scope="col">${translate("table.scores")}</th>
            </tr>
          </thead>
          <tbody>
            ${this.past.map(
              ({ day, title, rank, points }) =>
                html`<tr>
                  <th scope="row"><a href=${dailyAddress(day)}>${dayText(day)}</a></th>
                  <td>${title}</td>
                  <td>${rank ?? "–"}</td>
                  <td>${points ?? "–"}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </div>
    </section>`;
  }

  /** Go to a table that the server opens or makes; nobody is asked for a name. @param {() => Promise<{id: string}>} make */
  async open(make) {
    this.isBusy = true;
    try {
      await identity.ensureName();
      navigate(tableAddress((await make()).id));
    } catch (refusal) {
      notify(/** @type {Error} */ (refusal).message);
      await this.load(); // another device may have finished it
    }
    this.isBusy = false;
  }
}

/** What can be played first, what is finished or opened after it. @param {DailyGame[]} games */
const inOrder = (games) => [...games].sort((one, other) => Number(one.can_practise) - Number(other.can_practise));

/** Names, each once, with how many of it there are. @param {string[]} names */
function summed(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name)).join(", ");
}

customElements.define("daily-page", DailyPage);
