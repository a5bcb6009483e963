/** Xe Queo!: a wooden board of 49 fields, seven pawns, the ring, and each player's secret disc. */

import { classMap, html, nothing, svg } from "/vendor/lit.js";
import { Board } from "/parts/board.js";
import { symbol } from "/parts/symbols.js";
import { decidedChoice, select } from "/selection.js";
import { isMotionReduced } from "/settings.js";
import { translate } from "/words.js";

/** @typedef {import("/types.js").Piece} Piece */
/** @typedef {import("/types.js").Zone} Zone */
/** @typedef {import("/types.js").GameEvent} GameEvent */
/** @typedef {{seat: number, colour: string}} ShownDisc */

const SIZE = 7;
const STEP = 100; // between neighbouring fields, in SVG units
const RINGS_TO_WIN = 4;
const REVEAL_MILLISECONDS = 2000;
const LETTERS = "abcdefg";
const LINES = range(SIZE).map((line) => line * STEP + STEP / 2);
const ENDINGS = ["entered", "same_pawn", "owner_won", "accused_right", "accused_wrong"];

export default class extends Board {
  static properties = { isLooking: { state: true }, reveal: { state: true } };

  constructor() {
    super();
    this.material = "wood";
    /** Whether the player is holding the own disc, to look at it. */
    this.isLooking = false;
    /** @type {{discs: ShownDisc[], texts: string[]} | null} the result of a round, shown for a few seconds */
    this.reveal = null;
    for (const gesture of ["pointerdown", "keydown"]) this.addEventListener(gesture, () => (this.reveal = null));
  }

  /** The seat at the near edge: the viewer's, or the first for spectators. */
  get near() {
    return Math.max(this.own, 0);
  }

  get isAccusing() {
    return this.selected[0] === this.discId(1 - this.near);
  }

  /** @param {number} seat */
  discId(seat) {
    return `seat${seat}.secret`;
  }

  /**
   * An accusation is only sent when it is confirmed. Clicking a pawn that cannot move asks why.
   * @param {string} id
   */
  select(id) {
    const selection = select(this.view, this.selected, id);
    const colour = this.zoneOf(id)?.pieces.find((piece) => piece.id === id)?.colour;
    if (selection && decidedChoice(selection)?.group === "accuse") this.setSelection(selection);
    else if (!selection && colour && this.view.facts.ring) this.onExplain({ move: `${colour} ${this.view.facts.ring}` });
    else super.select(id);
  }

  // The players' edges

  render() {
    if (!this.view) return nothing;
    return html`${this.edge(1 - this.near)} ${this.wood()} ${this.edge(this.near)}`;
  }

  /** A player's name, rings won and secret disc. @param {number} seat */
  edge(seat) {
    const isOwn = seat === this.own;
    const classes = { edge: true, mine: seat === this.near, "on-turn": this.isOnTurn(seat) };
    return html`<section class=${classMap(classes)} aria-label=${isOwn ? translate("table.own") : this.nameOf(seat)}>
      <div class="edge-nameplate">${this.nameplate(seat)}</div>
      ${this.wonRings(seat)} ${isOwn ? this.ownArea() : this.secret(seat)}
    </section>`;
  }

  /** @param {number} seat */
  isOnTurn(seat) {
    return this.view.to_move === seat || (seat === this.own && this.view.choices.length > 0);
  }

  /** @param {number} seat */
  wonRings(seat) {
    const zone = /** @type {Zone} */ (this.zoneOf(`seat${seat}.rings`));
    const won = zone.count ?? 0;
    return html`<span class="sockets" role="img" aria-label="${zone.label}, ${won}" data-zone=${zone.id}>
      ${range(RINGS_TO_WIN).map((index) => html`<span class="socket">${index < won ? brassRing() : nothing}</span>`)}
    </span>`;
  }

  /** The own disc, or the discs or pawns to choose from. */
  ownArea() {
    const offered = this.zoneOf("discs") ?? (this.own === this.view.to_move ? this.zoneOf("supply") : undefined);
    if (!offered) return this.secret(this.own);
    return html`<div class="offered" role="group" aria-label=${offered.label} data-zone=${offered.id}>
      ${offered.pieces.map((piece) => this.offerButton(piece, offered.id === "discs" ? disc(piece) : pawn(piece)))}
    </div>`;
  }

  /** @param {number} seat */
  secret(seat) {
    const zone = /** @type {Zone} */ (this.zoneOf(`seat${seat}`));
    return html`<div class="secret" role="group" aria-label=${zone.label} data-zone=${zone.id}>
      ${this.passButton(zone)} ${this.secretDisc(zone)}
    </div>`;
  }

  /** @param {Zone} zone */
  secretDisc(zone) {
    const [piece] = zone.pieces;
    if (!piece) return html`<span class="disc-slot"></span>`;
    if (this.view.round && piece.colour) return this.offerButton(piece, disc(piece), `${zone.label}: ${piece.label}`);
    return zone.owner === this.own ? this.ownDisc(piece) : this.othersDisc(piece, zone);
  }

  /** @param {Zone} zone */
  passButton(zone) {
    const choice = this.view.choices.find(({ targets }) => targets[0] === zone.id);
    if (!choice) return nothing;
    return html`<button class="zone-target" data-id=${zone.id} @click=${() => this.select(zone.id)}>
      ${choice.label}
    </button>`;
  }

  /** The own disc: face down, turned over while it is held. @param {Piece} piece */
  ownDisc(piece) {
    const look = (/** @type {boolean} */ isLooking) => () => (this.isLooking = isLooking);
    const keys = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === " " || event.key === "Enter") this.isLooking = event.type === "keydown";
    };
    return html`<button
      class="disc-button"
      aria-label="${piece.label}. ${translate("table.hold_to_look")}"
      title=${translate("table.hold_to_look")}
      @pointerdown=${look(true)}
      @pointerup=${look(false)}
      @pointercancel=${look(false)}
      @pointerleave=${look(false)}
      @contextmenu=${(/** @type {Event} */ event) => event.preventDefault()}
      @keydown=${keys}
      @keyup=${keys}
      @blur=${look(false)}
    >
      ${disc(piece, this.isLooking, this.own)}
      <span class="hint" aria-hidden="true">${translate("table.hold_to_look")}</span>
    </button>`;
  }

  /** @param {Piece} piece @param {Zone} zone */
  othersDisc(piece, zone) {
    const face = disc(piece, false, zone.owner ?? 0);
    const canAccuse = this.view.choices.some(({ targets }) => targets[0] === piece.id);
    if (!canAccuse) return this.offerButton(piece, face, `${zone.label}: ${piece.label}`);
    const { accuse } = this.view.facts.words;
    return this.offerButton(piece, html`<span class="hint">${accuse}</span>${face}`, `${accuse}: ${zone.label}`);
  }

  /**
   * A button for a disc or pawn beside the board.
   * @param {Piece} piece
   * @param {unknown} face
   * @param {string} [label]
   */
  offerButton(piece, face, label = piece.label) {
    return this.button(piece, { shape: "disc-button", face, label, isTabStop: true });
  }

  // The board

  wood() {
    const zone = /** @type {Zone} */ (this.zoneOf("board"));
    return html`<div class=${classMap({ plank: true, accusing: this.isAccusing })}>
      ${PLANK}
      <svg class="paths" viewBox="0 0 700 700" aria-hidden="true">
        ${this.reach()} ${this.lastPath()} ${this.paths()}
      </svg>
      <div class="holes" role="group" aria-label=${zone.label} data-zone="board" data-columns=${SIZE}>
        ${zone.pieces.map((piece, index) => this.field(piece, index))}
      </div>
      ${this.ringsLeft()} ${this.reveal ? this.revealed(this.reveal) : nothing}
    </div>`;
  }

  /**
   * @param {Piece} piece
   * @param {number} index
   */
  field(piece, index) {
    const face = html`${piece.marks.includes("ring") ? brassRing() : nothing} ${piece.colour ? pawn(piece) : nothing}`;
    const look = piece.colour ? "has-pawn" : "";
    return this.button(piece, { shape: "hole", look, face, isTabStop: index === 0 });
  }

  /** The rings that can still be won, at the corner of the board. */
  ringsLeft() {
    const zone = /** @type {Zone} */ (this.zoneOf("rings"));
    return html`<span class="peg" role="img" aria-label="${zone.label}, ${zone.count}" data-zone="rings">
      ${brassRing()}<span class="peg-count">${zone.count}</span>
    </span>`;
  }

  /** The line around all fields nearer to the ring than the selected pawn (R15). */
  reach() {
    const { ring, metric, phase } = this.view.facts;
    if (!this.selected.length || !ring || phase !== "turn" || this.isAccusing) return nothing;
    const [x, y] = centre(ring);
    const [pawnX, pawnY] = centre(this.selected[0]);
    if (metric === "euclidean")
      return svg`<circle class="reach" cx=${x} cy=${y} r=${Math.hypot(pawnX - x, pawnY - y) - 4}/>`;
    const distance = Math.abs(pawnX - x) + Math.abs(pawnY - y);
    return svg`<path class="reach" d="M${x - distance} ${y} ${x} ${y - distance} ${x + distance} ${y} ${x} ${y + distance}z"/>`;
  }

  /** The possible paths of the selected pawn. */
  paths() {
    if (!this.selected.length || this.isAccusing) return nothing;
    const choices = this.view.choices.filter(({ targets }) => targets[0] === this.selected[0]);
    const paths = choices.map(({ text }) => this.view.facts.paths[text]).filter(Boolean);
    return paths.map((path) => svg`<path class="path" d=${pathData(path)}/>`);
  }

  lastPath() {
    const path = this.events.find(({ path }) => path.length > 1 && path.every((id) => /^[a-g][1-7]$/.test(id)))?.path;
    if (!path || this.selected.length) return nothing;
    const [x, y] = centre(path[0]);
    return svg`<path class="last-path" d=${pathData(path)}/><circle class="last-start" cx=${x} cy=${y} r="30"/>`;
  }

  /** Pawns visit every field of their path. */
  movements() {
    const paths = this.events.map(({ path }) => path).filter((path) => path.length > 1);
    return paths.map((path, step) => ({ from: path[0], via: path.slice(1, -1), to: path[path.length - 1], step }));
  }

  // The end of a round

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    super.willUpdate(changed);
    if (this.view?.round) this.reveal = null; // the discs are shown on the board
    else if (changed.has("events") && this.events.some(({ code }) => ENDINGS.includes(code))) this.showEnd();
  }

  showEnd() {
    /** @type {(string | null)[]} */
    const shown = this.view.facts.rounds.at(-1).shown;
    const discs = shown.flatMap((colour, seat) => (colour ? [{ seat, colour }] : []));
    const results = this.events.filter(({ code }) => ["accused", ...ENDINGS, "ring_won"].includes(code));
    this.reveal = { discs, texts: results.map(({ text }) => text) };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.reveal = null), REVEAL_MILLISECONDS);
  }

  /** Hidden from screen readers, which get the announcements. @param {{discs: ShownDisc[], texts: string[]}} reveal */
  revealed({ discs, texts }) {
    return html`<div class=${classMap({ reveal: true, still: isMotionReduced() })} aria-hidden="true">
      <div class="reveal-discs">
        ${discs.map(
          ({ seat, colour }) =>
            html`<figure class="reveal-disc">
              ${disc({ id: "", label: "", face: "", colour, symbol: this.symbolOf(colour), marks: [] }, true, seat)}
              <figcaption>${this.nameOf(seat)}</figcaption>
            </figure>`,
        )}
      </div>
      ${texts.map((text) => html`<p>${text}</p>`)}
    </div>`;
  }

  /** The symbol of the pawn of a colour. @param {string} colour */
  symbolOf(colour) {
    return this.zoneOf("board")?.pieces.find((piece) => piece.colour === colour)?.symbol ?? null;
  }
}

// Drawings

/**
 * A pawn with the symbol of its colour.
 * @param {Piece} piece
 */
function pawn(piece) {
  return html`<span class="piece queo-pawn colour-${piece.colour}" .style=${`--pawn: var(--${piece.colour})`}>
    <svg class="pawn-shape" viewBox="0 0 44 52" aria-hidden="true">
      <ellipse class="pawn-shadow" cx="23" cy="46" rx="17" ry="5" />
      <path
        class="pawn-body"
        d="M6.5 43.5c0-5.5 6.5-6.5 8.5-11.5l2-7h10l2 7c2 5 8.5 6 8.5 11.5 0 3.6-7 6-15.5 6s-15.5-2.4-15.5-6z"
      />
      <path class="pawn-groove" d="M8.5 40.5c4 3.3 23 3.3 27 0M13.5 35c4 2.4 13 2.4 17 0" />
      <ellipse class="pawn-body" cx="22" cy="27.5" rx="10" ry="3.4" />
      <circle class="pawn-body" cx="22" cy="15" r="13.5" />
      <path class="pawn-groove" d="M11.5 19.5c4.5 6.5 16.5 6.5 21 0" />
    </svg>
    <span class="pawn-symbol">${symbol(piece.symbol)}</span>
  </span>`;
}

/**
 * @param {Piece} piece
 * @param {boolean} [isShown] whether its face is up
 * @param {number} [seat] of its owner: one player's backs are white, the other's black
 */
function disc(piece, isShown = true, seat = 0) {
  const side = isShown && piece.colour ? "shows-face" : "shows-back";
  return html`<span class="piece queo-disc ${side}">
    <span class="disc-face colour-${piece.colour ?? "none"}">${symbol(piece.symbol)}</span>
    <span class="disc-back back-${seat}"></span>
  </span>`;
}

function brassRing() {
  return html`<span class="piece queo-ring"
    ><svg viewBox="0 0 48 48" aria-hidden="true">
      <circle class="ring-edge" cx="24" cy="24" r="18.5" />
      <circle class="ring-brass" cx="24" cy="24" r="18.5" />
      <path class="ring-gleam" d="M8.5 17.5A17 17 0 0 1 18.5 8.3" />
    </svg>
  </span>`;
}

/**
 * The SVG path of a pawn: a straight line for a step, an arc for each jump.
 * @param {string[]} path
 */
function pathData(path) {
  const points = path.map(centre);
  return points
    .map(([x, y], index) => {
      if (index === 0) return `M${x} ${y}`;
      const [fromX, fromY] = points[index - 1];
      const isStep = Math.max(Math.abs(x - fromX), Math.abs(y - fromY)) === STEP;
      if (isStep) return `L${x} ${y}`;
      const [overX, overY] = [(x + fromX) / 2, (y + fromY) / 2];
      return `Q${overX + (y - fromY) * 0.22} ${overY - (x - fromX) * 0.22} ${x} ${y}`;
    })
    .join("");
}

/** The centre of a field in SVG units. @param {string} name @returns {[number, number]} */
function centre(name) {
  return [LINES[LETTERS.indexOf(name[0])], LINES[SIZE - Number(name[1])]];
}

/** @param {number} count */
function range(count) {
  return Array.from({ length: count }, (_, index) => index);
}

const STRAIGHT = LINES.map((line) => `M50 ${line}H650M${line} 50V650`).join("");
const DIAGONAL = LINES.map((line) => {
  const rest = 2 * LINES[3] - line;
  return `M50 ${line}L${line} 50M${line} 650L650 ${line}M50 ${line}L${rest} 650M${line} 50L650 ${rest}`;
}).join("");
const GRAIN = [
  "M-34 70C200 40 420 96 734 60M-34 190c260 26 500-30 768 8M-34 318c200-22 520 30 768-6M-34 452c240 30 470-26 768 10",
  "M-34 580c260-30 480 26 768-4M-34 678c220 20 520-20 768 6M120-34c-14 30-8 60 4 96M560 734c16-40 6-70-6-110",
].join("");

/** The wood, the lines between the fields, the fields, and the coordinates along the edges. */
const PLANK = html`<svg class="wood" viewBox="-34 -34 768 768" aria-hidden="true">
  <rect class="plank-edge" x="-34" y="-34" width="768" height="768" rx="34" />
  <path class="grain" d=${GRAIN} />
  <path class="lines" d=${STRAIGHT} />
  <path class="lines diagonal" d=${DIAGONAL} />
  ${LINES.map((y) => LINES.map((x) => svg`<circle class="hollow" cx=${x} cy=${y} r="35"/>`))}
  ${LINES.map((line, index) => [
    svg`<text class="coordinate" x=${line} y="723">${LETTERS[index]}</text>`,
    svg`<text class="coordinate" x="-17" y=${line + 8}>${SIZE - index}</text>`,
  ])}
</svg>`;
