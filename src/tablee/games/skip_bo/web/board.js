/** Skip-Bo: four series in the middle, a stock to get rid of, four discard piles to plan with, and a hand. */

import { html, nothing, repeat } from "/vendor/lit.js";
import { Board } from "/parts/board.js";
import { deal } from "/parts/motion.js";
import { pieceClass, pieceFace } from "/parts/piece.js";
import { icon } from "/parts/symbols.js";
import { say } from "/words.js";

/** @typedef {import("../../../web/types.js").Piece} Piece */
/** @typedef {import("../../../web/types.js").Zone} Zone */
/** @typedef {import("../../../web/types.js").ToldEvent} ToldEvent */

const PILES = ["a", "b", "c", "d"];
const TABS_IN_A_COLUMN = 4; // buried cards of a pile that are read one below the other; more stand side by side
const MAX_LAYERS = 4; // edges drawn below the top card of a stock
const ROUND_ENDS = [
  ["emptied", "all_passed", "stalled", "endless_turn"],
  ["scored", "nobody_scores"],
];

export default class extends Board {
  constructor() {
    super();
    /** @type {string | null} the card of the hand that was touched last, of several equal ones */
    this.held = null;
  }

  // Equal cards are one to the rules: the choices name the first of them.

  /** @param {string} id */
  meant(id) {
    const hand = this.zoneOf(`seat${this.own}.hand`)?.pieces ?? [];
    const card = hand.find((piece) => piece.id === id);
    return hand.find((piece) => piece.face === card?.face)?.id ?? id;
  }

  /** @param {string} id */
  touch(id) {
    const isAnotherOfThem = this.touched.has(this.meant(id)) && this.isOfHand(id) && this.held !== id;
    if (this.isOfHand(id)) this.held = id;
    this.news = nothing; // it lies on the series
    if (isAnotherOfThem) this.requestUpdate();
    else super.touch(this.meant(id));
  }

  /** @param {string} id */
  lift(id) {
    if (this.isOfHand(id)) this.held = id;
    return super.lift(this.meant(id));
  }

  /**
   * @param {string} id
   * @param {string[]} places
   */
  drop(id, places) {
    super.drop(this.meant(id), places);
  }

  /** @param {string} id */
  isOfHand(id) {
    return id.startsWith(`seat${this.own}.hand.`);
  }

  // In the middle

  commonThings() {
    const series = this.view.zones.filter(({ id }) => id.startsWith("series"));
    return html`<div class="middle">${series.map((zone, place) => this.series(zone, place))} ${this.drawPile()}</div>`;
  }

  /**
   * A series shows what lies on top, and below it, faintly, what comes next.
   * @param {Zone} zone
   * @param {number} place
   */
  series(zone, place) {
    const top = zone.pieces[0];
    const next = this.view.facts.next[place];
    const label = [zone.label, top?.label].filter(Boolean).join("; ");
    const face = top ? undefined : html`<span class="numeral awaited" aria-hidden="true">${next}</span>`;
    return html`<div class="series" role="group" aria-label=${zone.label} data-zone=${zone.id}>
      ${this.button(top ?? emptyPlace(zone), { id: zone.id, label, face, isFirst: true })}
      ${top ? html`<span class="coming" aria-hidden="true">${next}</span>` : nothing}
    </div>`;
  }

  /** What is left to draw, and what has been set aside. */
  drawPile() {
    const draw = /** @type {Zone} */ (this.zoneOf("draw"));
    const completed = /** @type {Zone} */ (this.zoneOf("completed"));
    return html`<div class="drawing">
      <span class="pile-holder" role="img" aria-label="${draw.label}, ${draw.count}" data-zone="draw">
        ${draw.count ? this.back() : html`<span class="slot"></span>`}
        <span class="edge-count">${draw.count}</span>
      </span>
      <span class="set-aside" role="img" aria-label="${completed.label}, ${completed.count}" data-zone="completed">
        ${icon("done")} ${completed.count}
      </span>
    </div>`;
  }

  back() {
    return html`<span class="piece is-back"><span class="linen"></span></span>`;
  }

  // Before a player

  /** @param {number} seat */
  thingsOf(seat) {
    const hand = /** @type {Zone} */ (this.zoneOf(`seat${seat}.hand`));
    return html`
      ${this.stock(seat)}
      <div class="piles">${this.pilesOf(seat).map((zone) => this.othersPile(zone))}</div>
      <span class="held-cards" role="img" aria-label="${hand.label}, ${hand.count}" data-zone=${hand.id}>
        ${hand.pieces.map(() => this.back())}
      </span>
      ${this.race(seat)}
    `;
  }

  ownThings() {
    return html`
      <div class="own-stock">${this.stock(this.own)} ${this.race(this.own)}</div>
      <div class="piles">${this.pilesOf(this.own).map((zone) => this.ownPile(zone))}</div>
      ${this.hand()}
    `;
  }

  /** The top card, with the number of cards left on the edge of the pile. @param {number} seat */
  stock(seat) {
    const zone = /** @type {Zone} */ (this.zoneOf(`seat${seat}.stock`));
    const [top] = zone.pieces;
    const layers = Math.min((zone.count ?? 1) - 1, MAX_LAYERS);
    return html`<div
      class="stock pile-holder"
      role="group"
      aria-label="${zone.label}, ${zone.count}"
      data-zone=${zone.id}
      data-layers=${layers}
    >
      ${top ? this.stockTop(top, zone, seat === this.own) : html`<span class="slot"></span>`}
      <span class="edge-count" aria-hidden="true">${zone.count}</span>
    </div>`;
  }

  /**
   * @param {Piece} top
   * @param {Zone} zone
   * @param {boolean} isOwn
   */
  stockTop(top, zone, isOwn) {
    if (!isOwn) return this.picture(top);
    const label = `${zone.label}: ${top.label}, ${say("table.in_stack", { n: zone.count })}`;
    return this.button(top, { label, isFirst: true, look: "hero" });
  }

  /** How far a player has come on the way to an empty stock. @param {number} seat */
  race(seat) {
    const { stocks, stock_size: size } = this.view.facts;
    const done = Math.round((100 * (size - stocks[seat])) / size);
    return html`<span class="race" aria-hidden="true" .style=${`--done: ${done}%`}></span>`;
  }

  // Discard piles: all cards can be read

  /** @param {number} seat @returns {Zone[]} */
  pilesOf(seat) {
    return PILES.map((name) => /** @type {Zone} */ (this.zoneOf(`seat${seat}.${name}`)));
  }

  /** @param {Zone} zone */
  othersPile(zone) {
    return html`<span class="fan" role="img" aria-label=${this.inWords(zone)} data-zone=${zone.id}>
      ${this.fanned(zone)}
    </span>`;
  }

  /** Touching a pile means its top card, or the pile where a card goes. @param {Zone} zone */
  ownPile(zone) {
    const top = zone.pieces.at(-1) ?? emptyPlace(zone);
    const isNext = this.next.has(top.id) || this.next.has(zone.id);
    const look = this.lastPlaces.has(zone.id) ? "is-last" : "";
    const wishes = { shape: "fan", look, isNext, isFirst: true, label: this.inWords(zone), face: this.fanned(zone) };
    return html`<div data-zone=${zone.id} role="group" aria-label=${zone.label}>${this.button(top, wishes)}</div>`;
  }

  /** The cards of a pile from the top down. @param {Zone} zone */
  inWords(zone) {
    const cards = zone.pieces.map(({ label }) => label).reverse();
    return cards.length ? `${zone.label}: ${cards.join(", ")}` : `${zone.label}, 0`;
  }

  /** @param {Zone} zone */
  fanned(zone) {
    const top = zone.pieces.at(-1);
    const buried = zone.pieces.slice(0, -1);
    const columns = Math.max(1, Math.ceil(buried.length / TABS_IN_A_COLUMN));
    return html`
      <span class="tabs" .style=${`--tab-columns: ${columns}`}>
        ${buried.map(({ face, colour }) => html`<span class="tab colour-${colour}">${face}</span>`)}
      </span>
      ${
        top
          ? html`<span class=${pieceClass(top)}>${pieceFace(top)}</span>`
          : html`<span class="slot pile-name">${zone.id.at(-1)}</span>`
      }
    `;
  }

  // The hand

  hand() {
    const zone = /** @type {Zone} */ (this.zoneOf(`seat${this.own}.hand`));
    const size = Math.max(...this.view.facts.hand_sizes);
    const passing = this.view.choices.find(({ group }) => group === "pass");
    return html`<div class="hand" role="group" aria-label=${zone.label} data-zone=${zone.id} data-size=${size}>
      ${repeat(
        zone.pieces,
        ({ id }) => id,
        (piece) => this.handCard(piece),
      )}
      ${passing ? this.passing(zone.id, passing.label) : nothing}
    </div>`;
  }

  /**
   * @param {string} id
   * @param {string} label
   */
  passing(id, label) {
    return html`<button class="zone-target" data-id=${id} @click=${() => this.touch(id)}>${label}</button>`;
  }

  /** @param {Piece} piece */
  handCard(piece) {
    const meant = this.meant(piece.id);
    const isOpenToTouch = this.touched.has(meant); // it, or one that is equal to it
    const isPicked = isOpenToTouch && this.held === piece.id;
    return this.button(piece, { isNext: this.next.has(meant), isPicked, isOpenToTouch, isFirst: true });
  }

  // What the eye can follow

  /** My own card sets off from where it was held, and looks as it did there. */
  journeys() {
    return super.journeys().map((journey, place) => {
      const isMine = journey.from === `seat${this.own}.hand` && place === 0;
      const from = isMine && this.held ? this.held : journey.from;
      const look = this.earlier.get(from)?.look;
      const hasLeft = look?.matches(".is-open") && !this.isCovered(journey.to); // the series was complete with it
      return hasLeft ? { ...journey, from, look } : { ...journey, from };
    });
  }

  animateMove() {
    super.animateMove();
    const stocks = this.seats.map(({ seat }) => `seat${seat}.stock`);
    if (this.told.some(({ code }) => code === "dealt")) deal(this, "draw", stocks);
  }

  /** Whether a card lies in a place now. @param {string} id */
  isCovered(id) {
    return (this.zoneOf(id)?.pieces.length ?? 0) > 0;
  }

  /** How a round ended, and what everybody has now. @param {ToldEvent[]} told */
  newsOf(told) {
    const [end, result] = ROUND_ENDS.map((codes) => told.find(({ code }) => codes.includes(code)));
    if (!end || !result || this.view.end) return null;
    return html`<h2>${end.text}</h2>
      <p>${result.text}</p>
      <table class="scores">
        <tbody>
          ${this.view.scores.map((points, seat) => this.score(points, seat))}
        </tbody>
      </table>`;
  }

  /**
   * @param {number} points
   * @param {number} seat
   */
  score(points, seat) {
    return html`<tr class=${seat === this.own ? "you" : ""}>
      <th scope="row">${this.nameOf(seat)}</th>
      <td>${points}</td>
    </tr>`;
  }

  /** @param {ToldEvent[]} told */
  momentOf(told) {
    return told.find(({ code }) => code === "completed")?.text ?? "";
  }
}

/** @param {Zone} zone @returns {Piece} */
function emptyPlace({ id, label }) {
  return { id, label, face: null, colour: null, symbol: null, marks: ["empty"] };
}
