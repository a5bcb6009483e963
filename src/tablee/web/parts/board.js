/**
 * What every board shares, the general one and those that games bring (docs/web.md): what it is given, the places of the
 * table, making a move by touching or dragging things, explaining what is not possible, keys, and pieces that travel.
 */

import { classMap, html, LitElement, nothing } from "../vendor/lit.js";
import { decided, follow, guessText, touch, zonesOfIds } from "../selection.js";
import { putDown } from "../sounds.js";
import { say } from "../words.js";
import { Dragging } from "./drag.js";
import { find, proclaim, send, traces, turn } from "./motion.js";
import { pieceClass, pieceFace } from "./piece.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").View} View */
/** @typedef {import("../types.js").Zone} Zone */
/** @typedef {import("../types.js").Piece} Piece */
/** @typedef {import("../selection.js").Picking} Picking */

/**
 * How a button differs from the plain button of a piece.
 * @typedef {object} ButtonWishes
 * @property {string} [id] what touching it means, if not the piece itself
 * @property {string} [label]
 * @property {boolean} [isNext] whether touching it leads on, if not known from the choices
 * @property {boolean} [isPicked] whether it has been touched, if not known from what was picked
 * @property {boolean} [isOpenToTouch] whether it may be touched although that does not lead on
 * @property {boolean} [isFirst] whether the tab key stops here although nothing can be done with it
 * @property {string} [shape] the class of what it is, if it is not drawn as a card
 * @property {string} [look] more classes
 * @property {unknown} [face] what is drawn on it, if not the piece's face
 */

const MAX_TRAVELLERS = 8;
const NEWS_MILLISECONDS = 8000;

export class Board extends LitElement {
  /** @type {Record<string, object>} */
  static properties = {
    view: { attribute: false },
    seats: { attribute: false },
    told: { attribute: false },
    isQueued: { attribute: false },
    picked: { state: true },
    unfolded: { state: true },
    news: { state: true },
  };

  constructor() {
    super();
    /** @type {View} */
    this.view = /** @type {any} */ (null); // given before anything is drawn
    /** @type {import("../types.js").Seat[]} */
    this.seats = [];
    /** @type {import("../types.js").ToldEvent[]} what has just happened */
    this.told = [];
    /** Whether an early choice is waiting for its turn. */
    this.isQueued = false;
    /** @type {string[]} what has been touched so far */
    this.picked = [];
    /** @type {number | null} whose strip is shown large */
    this.unfolded = null;
    /** @type {unknown} how a round ended; stays for a while, or until it is put away or the next move is made */
    this.news = nothing;
    /** @type {(move: string) => void} */
    this.onChoose = () => {};
    /** @type {(move: string | null) => void} asked with a text that is not possible, or null if there is none */
    this.onExplain = () => {};

    /** @type {Set<string>} what can be touched now */
    this.next = new Set();
    /** @type {Set<string>} what has been touched */
    this.touched = new Set();
    /** @type {Set<string>} where the last move led */
    this.lastPlaces = new Set();
    /** @type {Map<string, string>} texts of moves that one thing alone once stood for */
    this.known = new Map();
    /** @type {Map<string, import("./motion.js").Trace>} what lay where before the last move */
    this.earlier = new Map();
    this.hadFocus = false;
    /** What its pieces are made of, to the ear: "card", "tile" or "wood". */
    this.material = "card";
    this.addEventListener("keydown", (event) => this.pressed(event));
    this.dragging = new Dragging(this);
  }

  /** Boards are drawn into the page itself: one stylesheet, one set of names for those who listen. */
  createRenderRoot() {
    this.classList.add("board");
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!this.view) return;
    if (changed.has("view")) {
      if (!this.canKeepPicked(/** @type {View | null} */ (changed.get("view") ?? null))) this.picked = [];
      this.receive();
    }
    const { next, picked } = this.picking;
    this.next = next;
    this.touched = new Set(picked);
  }

  /**
   * Whether what was picked while others moved still lies there and still leads somewhere: then it stays picked.
   * @param {View | null} old
   */
  canKeepPicked(old) {
    const { next, complete } = this.picking;
    const hasMoved = this.told[0]?.seat === this.own;
    if (!old || hasMoved || !(next.size || complete.length)) return false;
    return this.picked.every((id) => labelOf(old, id) === labelOf(this.view, id));
  }

  /** A new view: what lies on the table is remembered. */
  receive() {
    for (const { targets, text } of this.view.choices) if (targets.length === 1) this.known.set(targets[0], text);
    this.dataset.others = String(this.others.length);
    const news = this.newsOf(this.told);
    if (news) this.showNews(news);
    else if (this.view.end) this.news = nothing;
    this.lastPlaces = new Set(this.told.flatMap((event) => event.path.slice(-1)));
    this.earlier = this.hasUpdated ? traces(this) : new Map();
    this.hadFocus = this.contains(document.activeElement);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    if (changed.has("told") && this.told.length && this.earlier.size) this.animateMove();
    if (changed.has("view") && this.picked.length) this.pick(this.picking);
    if (changed.has("view") && this.hadFocus && !this.contains(document.activeElement)) this.refocus();
  }

  /** Whoever plays by keyboard stays at the table when the thing he touched is gone. */
  refocus() {
    const things = /** @type {HTMLElement[]} */ ([...this.querySelectorAll("button[data-id]")]);
    (things.find((thing) => thing.matches(".is-next")) ?? things[0])?.focus({ preventScroll: true });
  }

  // Who and what

  /** Whose things lie below: the viewer's; -1 for those who watch. */
  get own() {
    return this.view.viewer;
  }

  /** The others in the order of turns, from the viewer's left. @returns {number[]} */
  get others() {
    const first = Math.max(this.own, 0);
    const order = Array.from({ length: this.view.seats }, (_, step) => (first + step) % this.view.seats);
    return order.filter((seat) => seat !== this.own);
  }

  /** @param {number} seat */
  nameOf(seat) {
    return this.seats[seat]?.name || say("table.seat", { number: seat + 1 });
  }

  /** @param {string} id @returns {Zone | undefined} */
  zoneOf(id) {
    return zonesOfIds(this.view).get(id);
  }

  /** @param {number | null} seat @returns {Zone[]} */
  zonesOf(seat) {
    return this.view.zones.filter((zone) => zone.owner === seat);
  }

  /** What can come of the things picked so far. */
  get picking() {
    return follow(this.view, this.picked);
  }

  // The places of the table: a board says what lies in them

  render() {
    if (!this.view) return nothing;
    return html`
      <div class="others">
        ${sides(this.others).map(([side, seats]) => html`<div class="side side-${side}">${seats.map((seat) => this.strip(seat))}</div>`)}
      </div>
      <section class="common" aria-label=${say("table.common")}>${this.commonThings()}</section>
      ${this.own < 0 ? nothing : this.ownPlace()} ${this.news === nothing ? nothing : this.newsSheet()}
    `;
  }

  /** @param {unknown} news how a round ended */
  showNews(news) {
    this.news = news;
    clearTimeout(this.newsTimer);
    this.newsTimer = setTimeout(() => this.putNewsAway(), NEWS_MILLISECONDS);
  }

  /** The news get out of the way, unless somebody holds them with mouse or keyboard; the story has them as well. */
  putNewsAway() {
    if (this.querySelector(".news:is(:hover, :focus-within)")) this.showNews(this.news);
    else this.news = nothing;
  }

  newsSheet() {
    return html`<section class="news">
      <button class="icon-button news-close" aria-label=${say("app.close")} @click=${() => (this.news = nothing)}>
        ${icon("close")}
      </button>
      ${this.news}
    </section>`;
  }

  /** @returns {unknown} what lies in the middle */
  commonThings() {
    return nothing;
  }

  /** @returns {unknown} what lies before the viewer */
  ownThings() {
    return nothing;
  }

  /**
   * @param {number} _seat
   * @returns {unknown} what lies before another player
   */
  thingsOf(_seat) {
    return nothing;
  }

  /**
   * @param {number} _seat
   * @returns {unknown} what stands beside a player's name: flags, counts
   */
  badges(_seat) {
    return nothing;
  }

  ownPlace() {
    const isLit = this.view.to_move === this.own || this.view.choices.length > 0;
    return html`<section class=${classMap({ own: true, "on-turn": isLit })} aria-label=${say("table.own")}>
      ${this.ownThings()}
    </section>`;
  }

  /** @param {number} seat */
  strip(seat) {
    const isUnfolded = this.unfolded === seat;
    const classes = { strip: true, "on-turn": this.view.to_move === seat, unfolded: isUnfolded };
    return html`<section class=${classMap(classes)} aria-label=${this.nameOf(seat)}>
      <button class="strip-head" aria-expanded=${isUnfolded} @click=${() => (this.unfolded = isUnfolded ? null : seat)}>
        ${this.plate(seat)}
      </button>
      <div class="strip-zones">${this.thingsOf(seat)}</div>
    </section>`;
  }

  /** A player's name, whether a bot plays, whose turn it is, and the points. @param {number} seat */
  plate(seat) {
    const isBot = this.seats[seat]?.kind === "bot" || this.seats[seat]?.is_covered;
    const isOnTurn = this.view.to_move === seat;
    return html`
      ${isOnTurn ? html`<span class="turn-mark" role="img" aria-label=${say("table.on_turn")}>${icon("turn")}</span>` : nothing}
      <span class="strip-name">${this.nameOf(seat)}</span>
      ${isBot ? html`<span class="tag" role="img" aria-label=${say("table.bot")}>${icon("bot")}</span>` : nothing}
      ${this.badges(seat)}
      <span class="strip-score"
        ><span class="visually-hidden">${say("table.points")}</span>${this.view.scores[seat]}</span
      >
    `;
  }

  /**
   * A piece to touch. Everything about what is possible, picked or just moved shows by itself.
   * @param {Piece} piece
   * @param {ButtonWishes} [wishes]
   */
  button(piece, wishes = {}) {
    const { id = piece.id, label = piece.label, isFirst = false, shape = pieceClass(piece), look, face } = wishes;
    const leadsOn = wishes.isNext ?? this.next.has(id);
    const isPicked = wishes.isPicked ?? this.touched.has(id);
    const isUseful = leadsOn || isPicked || wishes.isOpenToTouch;
    const isLast = this.isLast(piece) || this.lastPlaces.has(id);
    const classes = [shape, look, leadsOn && "is-next", isPicked && "is-picked", isLast && "is-last"];
    return html`<button
      class=${classes.filter(Boolean).join(" ")}
      data-id=${id}
      data-face=${piece.face ?? nothing}
      aria-label=${label}
      aria-pressed=${isPicked ? "true" : nothing}
      aria-disabled=${isUseful ? nothing : "true"}
      tabindex=${isUseful || isFirst ? 0 : -1}
      @click=${() => this.touch(id)}
    >
      ${face ?? pieceFace(piece)}
    </button>`;
  }

  /**
   * A piece that is there to be seen.
   * @param {Piece} piece
   * @param {Pick<ButtonWishes, "label" | "look" | "face">} [wishes]
   */
  picture(piece, { label = piece.label, look = "", face } = {}) {
    return html`<span
      class=${`${pieceClass(piece)} ${look} ${this.isLast(piece) ? "is-last" : ""}`}
      data-id=${piece.id}
      data-face=${piece.face ?? nothing}
      role="img"
      aria-label=${label}
      >${face ?? pieceFace(piece)}</span
    >`;
  }

  /** Whether a piece was part of the last move. @param {Piece} piece */
  isLast(piece) {
    return piece.marks.includes("last") || this.lastPlaces.has(piece.id);
  }

  // Making a move

  /**
   * Touch a piece or zone: play, pick, or hear why not.
   * @param {string} id
   */
  touch(id) {
    const picking = touch(this.view, this.picked, id);
    if (!picking) {
      this.onExplain(guessText(this.view, this.picked, id, this.known));
      return;
    }
    const choice = decided(picking);
    if (choice) this.choose(choice.text);
    else this.pick(picking);
  }

  /** Play a move. @param {string} text of a choice */
  choose(text) {
    this.picked = [];
    this.news = nothing;
    this.onChoose(text);
  }

  /** @param {Picking} picking */
  pick(picking) {
    this.picked = picking.picked;
    this.dispatchEvent(new CustomEvent("picked", { detail: picking }));
  }

  /** Put everything back that was picked. */
  clear() {
    this.pick(follow(this.view, []));
  }

  /**
   * Whether a thing can be carried now. One that is the first of several to be touched is picked, so that its targets show.
   * @param {string} id
   */
  lift(id) {
    if (this.touched.has(id)) return true;
    if (!this.next.has(id)) return false;
    const picking = touch(this.view, this.picked, id);
    if (picking && !decided(picking)) this.pick(picking);
    return true;
  }

  /**
   * A thing was carried somewhere: onto the next thing to be touched, or simply away, which means itself.
   * @param {string} id
   * @param {string[]} places the ids under the pointer, innermost first
   */
  drop(id, places) {
    const target = places.find((place) => this.next.has(place));
    if (target && target !== id) this.touch(target);
    else if (!this.touched.has(id) && places.length) this.touch(id);
    else if (places.length) this.onExplain(guessText(this.view, this.picked, places[0], this.known));
  }

  /**
   * Escape puts back; arrows walk from thing to thing within a zone.
   * @param {KeyboardEvent} event
   */
  pressed(event) {
    if (event.key === "Escape" && this.picked.length) {
      this.clear();
      return;
    }
    const thing = /** @type {HTMLElement} */ (event.target).closest("[data-id]");
    const zone = thing?.closest("[data-zone]");
    if (!thing || !(zone instanceof HTMLElement)) return;
    const things = /** @type {HTMLElement[]} */ ([...zone.querySelectorAll("button[data-id]")]);
    const columns = Number(zone.dataset.columns) || things.length;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (step === undefined) return;
    event.preventDefault();
    things[things.indexOf(/** @type {HTMLElement} */ (thing)) + step]?.focus();
  }

  // What the eye can follow

  /** After a move: pieces travel and turn over, and what deserves it has its moment. */
  animateMove() {
    const journeys = this.journeys().slice(0, MAX_TRAVELLERS);
    send(this, journeys, this.earlier);
    const arriving = new Set(journeys.map(({ to }) => find(this, to)));
    const turned = this.turnedUp().filter((piece) => !arriving.has(piece));
    turned.forEach(turn);
    putDown(this.material, journeys.length + turned.length);
    const sign = this.momentOf(this.told);
    if (sign) proclaim(this, sign);
  }

  /** The ways that pieces took in the last move. @returns {import("./motion.js").Journey[]} */
  journeys() {
    const paths = this.told.map(({ path }) => path).filter((path) => path.length > 1);
    return paths.map((path, step) => ({ from: path[0], to: path[path.length - 1], step: Math.min(step, 2) }));
  }

  /** The pieces that lay face down and are open now. @returns {HTMLElement[]} */
  turnedUp() {
    const wereBacks = [...this.earlier].filter(([, { look }]) => look.matches(".is-back"));
    const pieces = wereBacks.map(([id]) => find(this, id)).filter((piece) => piece !== null);
    return pieces.filter((piece) => piece.matches(".piece.is-open"));
  }

  /**
   * @param {import("../types.js").ToldEvent[]} _told
   * @returns {unknown} how a round ended, to be laid above the table; null if none did
   */
  newsOf(_told) {
    return null;
  }

  /**
   * @param {import("../types.js").ToldEvent[]} _told
   * @returns {string} what is said large for a moment; nothing for an ordinary move
   */
  momentOf(_told) {
    return "";
  }
}

/**
 * What lies in a place, in words.
 * @param {View} view
 * @param {string} id
 */
function labelOf(view, id) {
  const zone = zonesOfIds(view).get(id);
  return zone?.pieces.find((piece) => piece.id === id)?.label ?? zone?.label;
}

/**
 * Where the others sit around a wide table: from the viewer's left over the top to the right.
 * @param {number[]} seats
 * @returns {[string, number[]][]}
 */
function sides(seats) {
  const beside = Math.floor((seats.length + 2) / 4);
  const top = seats.length - beside;
  return [
    ["left", seats.slice(0, beside)],
    ["top", seats.slice(beside, top)],
    ["right", seats.slice(top)],
  ];
}
