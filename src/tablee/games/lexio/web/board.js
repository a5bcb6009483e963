/** Lexio: tiles like bricks, the trick as a fan in the middle, chips in stacks. */

import { html, nothing, repeat } from "/vendor/lit.js";
import { follow } from "/selection.js";
import { Board } from "/parts/board.js";
import { deal, slide, sweep, traces } from "/parts/motion.js";
import { isBack } from "/parts/piece.js";
import { symbol } from "/parts/symbols.js";
import { flowDiagram } from "./flow.js";

/** @typedef {import("/types.js").Piece} Piece */
/** @typedef {import("/types.js").Zone} Zone */
/** @typedef {import("/types.js").ToldEvent} ToldEvent */

const CHIP_VALUES = [25, 5, 1];
const TABLE = "table";

export default class LexioBoard extends Board {
  static properties = { isBySuit: { state: true } };

  constructor() {
    super();
    this.material = "tile";
    this.isBySuit = false;
    /** @type {Map<string, string>} where each of my tiles stood before the last move, by what is printed on it */
    this.stood = new Map();
  }

  receive() {
    super.receive();
    const racked = [...this.earlier].filter(([id, { look }]) => id.startsWith(`seat${this.own}.`) && look.dataset.face);
    this.stood = new Map(racked.map(([id, { look }]) => [look.dataset.face ?? "", id]));
  }

  /** My tiles, sorted as I want them. @returns {Piece[]} */
  get rack() {
    const pieces = this.zoneOf(`seat${this.own}`)?.pieces ?? [];
    if (!this.isBySuit) return pieces;
    const suits = this.view.facts.suits;
    const strength = (/** @type {Piece} */ piece) => suits.indexOf(piece.symbol);
    return [...pieces].sort((one, other) => strength(one) - strength(other));
  }

  // What lies where

  commonThings() {
    const zone = /** @type {Zone} */ (this.zoneOf(TABLE));
    return html`<div class="centre">
      <div class="trick" data-zone=${TABLE} role="group" aria-label=${zone.label} data-size=${zone.pieces.length}>
        ${zone.pieces.length ? zone.pieces.map((piece) => this.picture(piece, brick(piece))) : html`<span class="slot"></span>`}
      </div>
      <p class="trick-name">${zone.label}</p>
      ${this.order()} ${this.heap("played")} ${this.heap("left_out")}
    </div>`;
  }

  /** What beats what: numbers and suits from weak to strong. */
  order() {
    const { suits, highest_number: highest, words } = this.view.facts;
    return html`<p class="order">
      <span class="visually-hidden">${words.weaker_to_stronger}</span>
      <span>3 … ${highest} <b>‹</b> 1 <b>‹</b> 2</span>
      <span class="order-suits"
        >${suits.map((/** @type {string} */ suit, /** @type {number} */ rank) => html`${rank ? html`<b>‹</b>` : nothing}${symbol(suit)}`)}</span
      >
    </p>`;
  }

  /** Tiles that are out of the game, as one brick with a number. @param {string} id */
  heap(id) {
    const zone = this.zoneOf(id);
    if (!zone) return nothing;
    return html`<div class="heap heap-${id}" data-zone=${id} role="img" aria-label=${`${zone.label}, ${zone.count}`}>
      <span class="piece is-back brick"></span><span class="heap-count">${zone.count}</span>
    </div>`;
  }

  ownThings() {
    const zone = this.zoneOf(`seat${this.own}`);
    return html`<div class="own-line">
        <span class="own-plate">${this.plate(this.own)}</span>
        ${this.chips(this.own)} ${this.sorter()} ${this.passing()}
      </div>
      ${this.verdict()}
      <div class="rack" role="group" aria-label=${zone?.label ?? ""} data-zone=${`seat${this.own}`}>
        ${repeat(
          this.rack,
          ({ id }) => id,
          (piece) => this.button(piece, { ...brick(piece), isOpenToTouch: this.view.choices.length > 0 }),
        )}
      </div>`;
  }

  sorter() {
    const { by_number: byNumber, by_suit: bySuit } = this.view.facts.words;
    return html`<button class="button small sorter" aria-label=${this.isBySuit ? byNumber : bySuit} @click=${this.sort}>
      ${this.isBySuit ? html`<span aria-hidden="true">1 2 3</span>` : html`${symbol("moon")}${symbol("sun")}`}
    </button>`;
  }

  async sort() {
    const before = traces(this);
    this.isBySuit = !this.isBySuit;
    await this.updateComplete;
    slide(
      this,
      this.rack.map(({ id }) => id),
      before,
    );
  }

  passing() {
    const choice = this.view.choices.find(({ targets }) => targets[0] === TABLE);
    return html`<button
      class="button small passing"
      data-id=${TABLE}
      aria-disabled=${choice ? nothing : "true"}
      tabindex=${choice ? 0 : -1}
      @click=${() => this.touch(TABLE)}
    >
      ${choice?.label ?? this.view.facts.words.pass}
    </button>`;
  }

  /** What the tiles picked make, and whether that beats the table. */
  verdict() {
    const { words } = this.view.facts;
    if (!this.view.choices.length) return html`<p class="verdict"></p>`;
    if (!this.picked.length) return html`<p class="verdict quiet">${words.hint}</p>`;
    const [choice] = this.picking.complete;
    if (choice)
      return html`<p class="verdict is-good" role="status">
        <span>✓ ${this.nameOfPicked(choice.label)}${this.beats()}</span>
      </p>`;
    const weak = this.view.facts.too_weak[this.pickedPlaces().join(" ")];
    const text = weak ? `${weak} · ${words.too_weak}` : this.next.size ? words.more : words.no_combination;
    const why =
      weak || !this.next.size ? html`<button class="why" @click=${this.explain}>${words.why}</button>` : nothing;
    return html`<p class="verdict" role="status"><span>✗ ${text}</span> ${why}</p>`;
  }

  /** The combination stands behind the tiles in a choice's label; a single tile has a name of its own. @param {string} label */
  nameOfPicked(label) {
    const [tile] = this.rack.filter(({ id }) => id === this.picked[0]);
    return this.picked.length === 1 ? tile.label : label.slice(label.indexOf(":") + 1).trim();
  }

  beats() {
    return this.zoneOf(TABLE)?.pieces.length ? ` · ${this.view.facts.words.beats}` : "";
  }

  /** The places of the tiles picked, in the order of the rack. */
  pickedPlaces() {
    const places = this.zoneOf(`seat${this.own}`)?.pieces ?? [];
    return places.map(({ id }) => id).filter((id) => this.picked.includes(id));
  }

  /** @param {number} seat */
  thingsOf(seat) {
    const zone = /** @type {Zone} */ (this.zoneOf(`seat${seat}`));
    const hasPassed = this.view.facts.passed.includes(seat);
    return html`<div class="little-rack" role="img" aria-label=${`${zone.label}, ${zone.count}`} data-zone=${zone.id}>
        ${zone.pieces.map((piece) => (isBack(piece) ? html`<i></i>` : this.picture(piece, brick(piece))))}
      </div>
      <b class="little-count" aria-hidden="true">${zone.count}</b>
      ${hasPassed ? html`<span class="passed">${this.view.facts.words.passed}</span>` : nothing} ${this.chips(seat)}`;
  }

  /** @param {number} seat */
  chips(seat) {
    const zone = /** @type {Zone} */ (this.zoneOf(`seat${seat}.chips`));
    const label = [zone.label, zone.count, ...zone.pieces.map((piece) => piece.label)].join(", ");
    const counts = this.view.facts.chips[seat];
    return html`<span class="chips" data-zone=${zone.id} role="img" aria-label=${label}>
      ${CHIP_VALUES.map((value, place) => chipStack(value, counts[place]))}
    </span>`;
  }

  // By hand

  /** Tiles are picked freely, so that one can see what they make. @param {string} id */
  touch(id) {
    const isMine = this.rack.some((piece) => piece.id === id);
    if (!isMine || !this.view.choices.length) return super.touch(id);
    const picked = this.picked.includes(id) ? this.picked.filter((other) => other !== id) : [...this.picked, id];
    this.pick(follow(this.view, picked));
  }

  /** @param {string} id */
  lift(id) {
    if (id === TABLE || !this.view.choices.length) return false;
    if (!this.picked.includes(id)) this.touch(id);
    return true;
  }

  /**
   * Tiles laid in the middle are played, all that are picked.
   * @param {string} _id
   * @param {string[]} places
   */
  drop(_id, places) {
    if (!places.includes(TABLE)) return;
    const [choice] = this.picking.complete;
    if (choice) this.choose(choice.text);
    else this.explain();
  }

  /** Let the server say why these tiles cannot be played. */
  explain() {
    const tiles = this.rack.filter(({ id }) => this.picked.includes(id)).map(({ face }) => face);
    this.onExplain(`play ${tiles.join(" ")}`);
  }

  // What the eye can follow

  animateMove() {
    const codes = this.told.map(({ code }) => code);
    if (codes.includes("dealt"))
      deal(
        this,
        "played",
        this.rack.map(({ id }) => id),
      );
    super.animateMove();
    if (codes.includes("took_lead")) sweep(this, this.trickBefore(), "played");
  }

  trickBefore() {
    return [...this.earlier].filter(([id]) => id.startsWith(`${TABLE}.`)).map(([, trace]) => trace);
  }

  /** Tiles come from where they stood in the rack; chips go from purse to purse. */
  journeys() {
    const isDealt = this.told.some(({ code }) => code === "dealt");
    return this.told.flatMap(({ code, path }) => {
      if (code === "paid") return [{ from: path[0], to: path[1], step: 1 }];
      if (path.at(-1) !== TABLE || isDealt) return [];
      const tiles = this.zoneOf(TABLE)?.pieces ?? [];
      return tiles.map(({ id, face }) => ({ from: this.stood.get(face ?? "") ?? path[0], to: id }));
    });
  }

  /** @param {ToldEvent[]} told */
  momentOf(told) {
    return told.find(({ code }) => code === "took_lead" || code === "few_left")?.text ?? "";
  }

  /** @param {ToldEvent[]} told */
  newsOf(told) {
    const over = told.find(({ code }) => code === "round_over");
    if (!over) return null;
    const { paid, changes } = this.view.facts.last_round;
    const names = this.seats.map(({ seat }) => this.nameOf(seat));
    const said = told.filter(({ code }) => code === "paid").map(({ text }) => text);
    return html`<h2>${over.text}</h2>
      <div class="flow" role="img" aria-label=${`${this.view.facts.words.flow}: ${said.join(" ")}`}>
        ${flowDiagram(names, paid, changes)}
      </div>`;
  }
}

/** How a tile is drawn: its number above, its suit as a strong pictogram below. @param {Piece} piece */
function brick(piece) {
  if (isBack(piece)) return { look: "brick", face: nothing };
  const number = (piece.face ?? "").slice(0, -1);
  return {
    look: "brick",
    face: html`<span class="tile-number" data-length=${number.length} aria-hidden="true">${number}</span>
      <span class="tile-suit" aria-hidden="true">${symbol(piece.symbol)}</span>
      <span class="tile-letter" aria-hidden="true">${(piece.face ?? "").slice(-1)}</span>`,
  };
}

/**
 * @param {number} value
 * @param {number} count
 */
function chipStack(value, count) {
  if (!count) return nothing;
  return html`<span class="chip-stack chips-${value}">
    ${Array.from({ length: count }, () => html`<i></i>`)}<small>${value}</small>
  </span>`;
}
