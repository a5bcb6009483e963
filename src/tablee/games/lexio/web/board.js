/** Lexio: tiles drawn as bricks, the combination on the table in the middle, chips in stacks. */

import { html, nothing, repeat } from "/vendor/lit.js";
import { selectionOf } from "/selection.js";
import { Board } from "/parts/board.js";
import { deal, slide, sweep, takeSnapshots } from "/parts/motion.js";
import { isBack } from "/parts/piece.js";
import { symbol } from "/parts/symbols.js";
import { flowDiagram } from "./flow.js";

/** @typedef {import("/types.js").Piece} Piece */
/** @typedef {import("/types.js").Zone} Zone */
/** @typedef {import("/types.js").GameEvent} GameEvent */

const CHIP_VALUES = [25, 5, 1];
const TABLE = "table";

export default class LexioBoard extends Board {
  static properties = { isBySuit: { state: true } };

  constructor() {
    super();
    this.material = "tile";
    this.isBySuit = false;
    /** @type {Map<string, string>} the id of each own tile before the last move, by its face */
    this.idsByFace = new Map();
  }

  viewChanged() {
    super.viewChanged();
    const tiles = [...this.snapshots].filter(([id, { clone }]) => id.startsWith(`seat${this.own}.`) && clone.dataset.face);
    this.idsByFace = new Map(tiles.map(([id, { clone }]) => [clone.dataset.face ?? "", id]));
  }

  /** The viewer's tiles, in the chosen order. @returns {Piece[]} */
  get rack() {
    const pieces = this.zoneOf(`seat${this.own}`)?.pieces ?? [];
    if (!this.isBySuit) return pieces;
    const suits = this.view.facts.suits;
    const strength = (/** @type {Piece} */ piece) => suits.indexOf(piece.symbol);
    return [...pieces].sort((one, other) => strength(one) - strength(other));
  }

  // Areas

  commonArea() {
    const zone = /** @type {Zone} */ (this.zoneOf(TABLE));
    return html`<div class="centre">
      <div class="trick" data-zone=${TABLE} role="group" aria-label=${zone.label} data-size=${zone.pieces.length}>
        ${zone.pieces.length ? zone.pieces.map((piece) => this.picture(piece, brick(piece))) : html`<span class="slot"></span>`}
      </div>
      <p class="trick-name">${zone.label}</p>
      ${this.order()} ${this.pile("played")} ${this.pile("left_out")}
    </div>`;
  }

  /** The order of numbers and suits, from weak to strong. */
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

  /** Tiles that are out of play, as one tile with a count. @param {string} id */
  pile(id) {
    const zone = this.zoneOf(id);
    if (!zone) return nothing;
    return html`<div class="heap heap-${id}" data-zone=${id} role="img" aria-label=${`${zone.label}, ${zone.count}`}>
      <span class="piece is-back brick"></span><span class="heap-count">${zone.count}</span>
    </div>`;
  }

  ownArea() {
    const zone = this.zoneOf(`seat${this.own}`);
    return html`<div class="own-line">
        <span class="own-nameplate">${this.nameplate(this.own)}</span>
        ${this.chips(this.own)} ${this.sortButton()} ${this.passButton()}
      </div>
      ${this.verdict()}
      <div class="rack" role="group" aria-label=${zone?.label ?? ""} data-zone=${`seat${this.own}`}>
        ${repeat(
          this.rack,
          ({ id }) => id,
          (piece) => this.button(piece, { ...brick(piece), isEnabled: this.view.choices.length > 0 }),
        )}
      </div>`;
  }

  sortButton() {
    const { by_number: byNumber, by_suit: bySuit } = this.view.facts.words;
    return html`<button class="button small sorter" aria-label=${this.isBySuit ? byNumber : bySuit} @click=${this.sort}>
      ${this.isBySuit ? html`<span aria-hidden="true">1 2 3</span>` : html`${symbol("moon")}${symbol("sun")}`}
    </button>`;
  }

  async sort() {
    const before = takeSnapshots(this);
    this.isBySuit = !this.isBySuit;
    await this.updateComplete;
    slide(
      this,
      this.rack.map(({ id }) => id),
      before,
    );
  }

  passButton() {
    const choice = this.view.choices.find(({ targets }) => targets[0] === TABLE);
    return html`<button
      class="button small passing"
      data-id=${TABLE}
      aria-disabled=${choice ? nothing : "true"}
      tabindex=${choice ? 0 : -1}
      @click=${() => this.select(TABLE)}
    >
      ${choice?.label ?? this.view.facts.words.pass}
    </button>`;
  }

  /** The combination that the selected tiles make, and whether it beats the one on the table. */
  verdict() {
    const { words } = this.view.facts;
    if (!this.view.choices.length) return html`<p class="verdict"></p>`;
    if (!this.selected.length) return html`<p class="verdict quiet">${words.hint}</p>`;
    const [choice] = this.selection.complete;
    if (choice)
      return html`<p class="verdict is-good" role="status">
        <span>✓ ${this.selectedName(choice.label)}${this.beats()}</span>
      </p>`;
    const weak = this.view.facts.too_weak[this.selectedInViewOrder().join(" ")];
    const text = weak ? `${weak} · ${words.too_weak}` : this.next.size ? words.more : words.no_combination;
    const why =
      weak || !this.next.size ? html`<button class="why" @click=${this.explain}>${words.why}</button>` : nothing;
    return html`<p class="verdict" role="status"><span>✗ ${text}</span> ${why}</p>`;
  }

  /** A choice's label names the combination after a colon; a single tile has its own label. @param {string} label */
  selectedName(label) {
    const [tile] = this.rack.filter(({ id }) => id === this.selected[0]);
    return this.selected.length === 1 ? tile.label : label.slice(label.indexOf(":") + 1).trim();
  }

  beats() {
    return this.zoneOf(TABLE)?.pieces.length ? ` · ${this.view.facts.words.beats}` : "";
  }

  /** The ids of the selected tiles, in the order of the view. */
  selectedInViewOrder() {
    const tiles = this.zoneOf(`seat${this.own}`)?.pieces ?? [];
    return tiles.map(({ id }) => id).filter((id) => this.selected.includes(id));
  }

  /** @param {number} seat */
  seatArea(seat) {
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
      ${CHIP_VALUES.map((value, index) => chipStack(value, counts[index]))}
    </span>`;
  }

  // Selecting

  /** Any tiles may be selected, to see what they make. @param {string} id */
  select(id) {
    const isOwnTile = this.rack.some((piece) => piece.id === id);
    if (!isOwnTile || !this.view.choices.length) return super.select(id);
    const selected = this.selected.includes(id) ? this.selected.filter((other) => other !== id) : [...this.selected, id];
    this.setSelection(selectionOf(this.view, selected));
  }

  /** @param {string} id */
  pickUp(id) {
    if (id === TABLE || !this.view.choices.length) return false;
    if (!this.selected.includes(id)) this.select(id);
    return true;
  }

  /**
   * Dropping a tile on the table plays all selected tiles.
   * @param {string} _id
   * @param {string[]} targets
   */
  drop(_id, targets) {
    if (!targets.includes(TABLE)) return;
    const [choice] = this.selection.complete;
    if (choice) this.choose(choice.text);
    else this.explain();
  }

  /** Ask why the selected tiles cannot be played. */
  explain() {
    const tiles = this.rack.filter(({ id }) => this.selected.includes(id)).map(({ face }) => face);
    this.onExplain({ move: `play ${tiles.join(" ")}` });
  }

  // Animations

  animateMove() {
    const codes = this.events.map(({ code }) => code);
    if (codes.includes("dealt") && !this.view.round) this.animateDeal();
    super.animateMove();
    if (codes.includes("took_lead")) sweep(this, this.previousTrick(), "played");
  }

  animateDeal() {
    const ids = this.rack.map(({ id }) => id);
    deal(this, "played", ids);
  }

  previousTrick() {
    return [...this.snapshots].filter(([id]) => id.startsWith(`${TABLE}.`)).map(([, snapshot]) => snapshot);
  }

  /** Tiles come from their position in the rack; chips go from player to player. */
  movements() {
    const isDealt = this.events.some(({ code }) => code === "dealt");
    return this.events.flatMap(({ code, path }) => {
      if (code === "paid") return [{ from: path[0], to: path[1], step: 1 }];
      if (path.at(-1) !== TABLE || isDealt) return [];
      const tiles = this.zoneOf(TABLE)?.pieces ?? [];
      return tiles.map(({ id, face }) => ({ from: this.idsByFace.get(face ?? "") ?? path[0], to: id }));
    });
  }

  /** @param {GameEvent[]} events */
  bannerText(events) {
    return events.find(({ code }) => code === "took_lead" || code === "few_left")?.text ?? "";
  }

  /** @param {GameEvent[]} events */
  roundSummaryOf(events) {
    const over = events.find(({ code }) => code === "round_over");
    if (!over) return null;
    const { paid, changes } = this.view.facts.last_round;
    const names = this.seats.map(({ seat }) => this.nameOf(seat));
    const payments = events.filter(({ code }) => code === "paid").map(({ text }) => text);
    return html`<h2>${over.text}</h2>
      <div class="flow" role="img" aria-label=${`${this.view.facts.words.flow}: ${payments.join(" ")}`}>
        ${flowDiagram(names, paid, changes)}
      </div>`;
  }
}

/** Button options of a tile: its number above, its suit as a pictogram below. @param {Piece} piece */
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
