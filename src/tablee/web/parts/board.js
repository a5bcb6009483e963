/**
 * The base class of all boards, the general one and those of games (docs/web.md): its properties, the areas of the table,
 * selecting a move by clicking or dragging, explaining what is not possible, keyboard control and animations.
 */

import { classMap, html, LitElement, nothing } from "../vendor/lit.js";
import { decidedChoice, select, selectionOf, zonesById } from "../selection.js";
import { playPutDown } from "../sounds.js";
import { translate } from "../words.js";
import { DragController } from "./drag.js";
import { animateMovements, findElement, showBanner, takeSnapshots, turnOver } from "./motion.js";
import { nameplate } from "./nameplate.js";
import { likeliest, pieceClass, pieceFace } from "./piece.js";
import { icon } from "./symbols.js";

/** @typedef {import("../types.js").View} View */
/** @typedef {import("../types.js").Zone} Zone */
/** @typedef {import("../types.js").Piece} Piece */
/** @typedef {import("../types.js").GameEvent} GameEvent */
/** @typedef {import("../selection.js").Selection} Selection */

/**
 * How a button differs from the default button of a piece.
 * @typedef {object} ButtonOptions
 * @property {string} [id] of the target that a click selects, if not the piece itself
 * @property {string} [label]
 * @property {boolean} [isNext] whether it can be selected next, if not derived from the choices
 * @property {boolean} [isSelected] whether it is selected, if not derived from the selection
 * @property {boolean} [isEnabled] whether it can be clicked although it cannot be selected next
 * @property {boolean} [isTabStop] whether the tab key stops here although it cannot be selected
 * @property {string} [shape] CSS class, if it is not drawn as a card
 * @property {string} [look] additional CSS classes
 * @property {unknown} [face] its content, if not the piece's face
 */

const MAX_MOVING_PIECES = 8;
const SUMMARY_MILLISECONDS = 8000;

export class Board extends LitElement {
  /** @type {Record<string, object>} */
  static properties = {
    view: { attribute: false },
    seats: { attribute: false },
    events: { attribute: false },
    isQueued: { attribute: false },
    points: { attribute: false },
    selected: { state: true },
    expanded: { state: true },
    roundSummary: { state: true },
  };

  constructor() {
    super();
    /** @type {View} */
    this.view = /** @type {any} */ (null); // set before the first render
    /** @type {import("../types.js").SeatShown[]} */
    this.seats = [];
    /** @type {GameEvent[]} of the last move */
    this.events = [];
    /** Whether the player has made an early choice. */
    this.isQueued = false;
    /** @type {string[]} ids of what the coach of a guided round points at */
    this.points = [];
    /** @type {string[]} ids selected so far, in order */
    this.selected = [];
    /** @type {number | null} the seat whose strip is shown large */
    this.expanded = null;
    /** @type {unknown} the result of the last round, shown for a few seconds or until it is closed or a move is made */
    this.roundSummary = nothing;
    /** @type {(move: string) => void} */
    this.onChoose = () => {};
    /** @type {(question: import("../watched-table.js").Question) => void} called with an impossible move */
    this.onExplain = () => {};

    /** @type {Set<string>} ids that can be selected next */
    this.next = new Set();
    /** @type {Set<string>} ids selected */
    this.selectedIds = new Set();
    /** @type {Set<string>} ids where the pieces of the last move went */
    this.lastTargets = new Set();
    /** @type {Map<string, import("./motion.js").Snapshot>} the table before the last move, by id */
    this.snapshots = new Map();
    this.hadFocus = false;
    /** The material of the pieces, for sounds: "card", "tile" or "wood". */
    this.material = "card";
    this.addEventListener("keydown", (event) => this.keyPressed(event));
    new DragController(this);
  }

  /** Render into the page itself, so that its stylesheets and ids apply. */
  createRenderRoot() {
    this.classList.add("board");
    return this;
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    if (!this.view) return;
    if (changed.has("view")) {
      if (!this.canKeepSelection(/** @type {View | null} */ (changed.get("view") ?? null))) this.selected = [];
      this.viewChanged();
    }
    const { next, selected } = this.selection;
    this.next = next;
    this.selectedIds = new Set(selected);
  }

  /**
   * Whether the pieces selected while others moved are still there and still part of a choice.
   * @param {View | null} old
   */
  canKeepSelection(old) {
    const { next, complete } = this.selection;
    const hasMoved = this.events[0]?.seat === this.own;
    if (!old || hasMoved || !(next.size || complete.length)) return false;
    return this.selected.every((id) => labelOf(old, id) === labelOf(this.view, id));
  }

  /** Prepare for drawing a new view: remember how the table looks now. */
  viewChanged() {
    this.dataset.others = String(this.others.length);
    const summary = this.view.round ? null : this.roundSummaryOf(this.events); // while resting, the page shows it
    if (summary) this.showRoundSummary(summary);
    else if (this.view.end || this.view.round) this.roundSummary = nothing;
    this.lastTargets = new Set(this.events.flatMap((event) => event.path.slice(-1)));
    this.snapshots = this.hasUpdated ? takeSnapshots(this) : new Map();
    this.hadFocus = this.contains(document.activeElement);
  }

  /** @param {Map<string, unknown>} changed */
  updated(changed) {
    const old = /** @type {View | undefined} */ (changed.get("view"));
    if (changed.has("events") && this.events.length && this.snapshots.size) this.animateMove();
    if (old?.round && !this.view.round) this.animateDeal();
    if (changed.has("view") && this.selected.length) this.setSelection(this.selection);
    this.markPoints();
    if (changed.has("view") && this.hadFocus && !this.contains(document.activeElement)) this.refocus();
  }

  /** Mark what the coach points at. */
  markPoints() {
    for (const element of this.querySelectorAll("[data-pointed]")) element.removeAttribute("data-pointed");
    for (const id of this.points) findElement(this, id)?.setAttribute("data-pointed", "");
  }

  /** Keep the keyboard focus on the board when the focused element is gone. */
  refocus() {
    const buttons = /** @type {HTMLElement[]} */ ([...this.querySelectorAll("button[data-id]")]);
    (buttons.find((button) => button.matches(".is-next")) ?? buttons[0])?.focus({ preventScroll: true });
  }

  // Seats and zones

  /** The viewer's seat; -1 for spectators. */
  get own() {
    return this.view.viewer;
  }

  /** The other seats in turn order, starting to the viewer's left. @returns {number[]} */
  get others() {
    const first = Math.max(this.own, 0);
    const order = Array.from({ length: this.view.seats }, (_, step) => (first + step) % this.view.seats);
    return order.filter((seat) => seat !== this.own);
  }

  /** @param {number} seat */
  nameOf(seat) {
    return this.seats[seat]?.name || translate("table.seat", { number: seat + 1 });
  }

  /** @param {string} id @returns {Zone | undefined} */
  zoneOf(id) {
    return zonesById(this.view).get(id);
  }

  /** @param {number | null} seat @returns {Zone[]} */
  zonesOf(seat) {
    return this.view.zones.filter((zone) => zone.owner === seat);
  }

  /** What is selected, and the moves it can still become. */
  get selection() {
    return selectionOf(this.view, this.selected);
  }

  // The areas of the table, which each board fills

  render() {
    if (!this.view) return nothing;
    return html`
      <div class="others">
        ${sides(this.others).map(([side, seats]) => html`<div class="side side-${side}">${seats.map((seat) => this.strip(seat))}</div>`)}
      </div>
      <section class="common" aria-label=${translate("table.common")}>${this.commonArea()}</section>
      ${this.own < 0 ? nothing : this.ownSection()} ${this.roundSummary === nothing ? nothing : this.roundSummarySheet()}
    `;
  }

  /** @param {unknown} summary */
  showRoundSummary(summary) {
    this.roundSummary = summary;
    clearTimeout(this.roundSummaryTimer);
    this.roundSummaryTimer = setTimeout(() => this.hideRoundSummary(), SUMMARY_MILLISECONDS);
  }

  /** Hide the summary unless it is hovered or focused; the log has it as well. */
  hideRoundSummary() {
    if (this.querySelector(".round-summary:is(:hover, :focus-within)")) this.showRoundSummary(this.roundSummary);
    else this.roundSummary = nothing;
  }

  roundSummarySheet() {
    return html`<section class="round-summary">
      <button class="icon-button round-summary-close" aria-label=${translate("app.close")} @click=${() => (this.roundSummary = nothing)}>
        ${icon("close")}
      </button>
      ${this.roundSummary}
    </section>`;
  }

  /** @returns {unknown} the middle of the table */
  commonArea() {
    return nothing;
  }

  /** @returns {unknown} the viewer's own pieces */
  ownArea() {
    return nothing;
  }

  /**
   * @param {number} _seat
   * @returns {unknown} the pieces of another player
   */
  seatArea(_seat) {
    return nothing;
  }

  /**
   * @param {number} _seat
   * @returns {unknown} what is shown beside a player's name: flags, counts
   */
  badges(_seat) {
    return nothing;
  }

  ownSection() {
    const isOnTurn = this.view.to_move === this.own || this.view.choices.length > 0;
    return html`<section class=${classMap({ own: true, "on-turn": isOnTurn })} aria-label=${translate("table.own")}>
      ${this.ownArea()}
    </section>`;
  }

  /** @param {number} seat */
  strip(seat) {
    const isExpanded = this.expanded === seat;
    const classes = { strip: true, "on-turn": this.view.to_move === seat, expanded: isExpanded };
    return html`<section class=${classMap(classes)} aria-label=${this.nameOf(seat)}>
      <button class="strip-head" aria-expanded=${isExpanded} @click=${() => (this.expanded = isExpanded ? null : seat)}>
        ${this.nameplate(seat)}
      </button>
      <div class="strip-zones">${this.seatArea(seat)}</div>
    </section>`;
  }

  /** A player's name, with marks for a bot and for the turn, and the points. @param {number} seat */
  nameplate(seat) {
    return nameplate(this.seats[seat], {
      name: this.nameOf(seat),
      score: this.view.scores[seat],
      isOnTurn: this.view.to_move === seat,
      badges: this.badges(seat),
    });
  }

  /**
   * A piece that can be clicked, styled by whether it can be selected next, is selected, or was just moved.
   * @param {Piece} piece
   * @param {ButtonOptions} [options]
   */
  button(piece, options = {}) {
    const { id = piece.id, label = piece.label, isTabStop = false, shape = pieceClass(piece), look, face } = options;
    const isNext = options.isNext ?? this.next.has(id);
    const isSelected = options.isSelected ?? this.selectedIds.has(id);
    const isEnabled = isNext || isSelected || options.isEnabled;
    const isLast = this.isLast(piece) || this.lastTargets.has(id);
    const classes = [shape, look, isNext && "is-next", isSelected && "is-selected", isLast && "is-last"];
    return html`<button
      class=${classes.filter(Boolean).join(" ")}
      data-id=${id}
      data-face=${piece.face ?? nothing}
      aria-label=${label}
      aria-pressed=${isSelected ? "true" : nothing}
      aria-disabled=${isEnabled ? nothing : "true"}
      tabindex=${isEnabled || isTabStop ? 0 : -1}
      @click=${() => this.select(id)}
    >
      ${face ?? pieceFace(piece)}${likeliest(piece)}
    </button>`;
  }

  /**
   * A piece that cannot be clicked.
   * @param {Piece} piece
   * @param {Pick<ButtonOptions, "label" | "look" | "face">} [options]
   */
  picture(piece, { label = piece.label, look = "", face } = {}) {
    return html`<span
      class=${`${pieceClass(piece)} ${look} ${this.isLast(piece) ? "is-last" : ""}`}
      data-id=${piece.id}
      data-face=${piece.face ?? nothing}
      role="img"
      aria-label=${label}
      >${face ?? pieceFace(piece)}${likeliest(piece)}</span
    >`;
  }

  /** Whether a piece was part of the last move. @param {Piece} piece */
  isLast(piece) {
    return piece.marks.includes("last") || this.lastTargets.has(piece.id);
  }

  // Selecting a move

  /**
   * Pick a piece or zone, or put it back. Plays the move if the choice is clear; asks why if it is not possible.
   * @param {string} id
   */
  select(id) {
    const selection = select(this.view, this.selected, id);
    if (!selection) {
      this.onExplain({ targets: [...this.selected, id] });
      return;
    }
    const choice = decidedChoice(selection);
    if (choice) this.choose(choice.text);
    else this.setSelection(selection);
  }

  /** Play a move. @param {string} text of a choice */
  choose(text) {
    this.selected = [];
    this.roundSummary = nothing;
    this.onChoose(text);
  }

  /** @param {Selection} selection */
  setSelection(selection) {
    this.selected = selection.selected;
    this.dispatchEvent(new CustomEvent("selection", { detail: selection }));
  }

  /** Clear the selection. */
  clear() {
    this.setSelection(selectionOf(this.view, []));
  }

  /**
   * Start dragging, if the piece can be dragged. A piece that needs a target is selected, so that its targets are shown.
   * @param {string} id
   * @returns {boolean} whether it can be dragged
   */
  pickUp(id) {
    if (this.selectedIds.has(id)) return true;
    if (!this.next.has(id)) return false;
    const selection = select(this.view, this.selected, id);
    if (selection && !decidedChoice(selection)) this.setSelection(selection);
    return true;
  }

  /**
   * Drop a dragged piece: on its target, or anywhere else if the piece alone makes the move.
   * @param {string} id
   * @param {string[]} targets ids under the pointer, innermost first
   */
  drop(id, targets) {
    const target = targets.find((each) => this.next.has(each));
    if (target && target !== id) this.select(target);
    else if (!this.selectedIds.has(id) && targets.length) this.select(id);
    else if (targets.length) this.onExplain({ targets: [...this.selected, targets[0]] });
  }

  /**
   * Escape clears the selection; arrow keys move the focus within a zone.
   * @param {KeyboardEvent} event
   */
  keyPressed(event) {
    if (event.key === "Escape" && this.selected.length) {
      event.preventDefault();
      this.clear();
      return;
    }
    const focused = /** @type {HTMLElement} */ (event.target).closest("[data-id]");
    const zone = focused?.closest("[data-zone]");
    if (!focused || !(zone instanceof HTMLElement)) return;
    const buttons = /** @type {HTMLElement[]} */ ([...zone.querySelectorAll("button[data-id]")]);
    const columns = Number(zone.dataset.columns) || buttons.length;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (step === undefined) return;
    event.preventDefault();
    buttons[buttons.indexOf(/** @type {HTMLElement} */ (focused)) + step]?.focus();
  }

  // Animations

  /** Animate the last move: pieces travel and turn over, and special events get a banner. */
  animateMove() {
    const movements = this.movements().slice(0, MAX_MOVING_PIECES);
    animateMovements(this, movements, this.snapshots);
    const arriving = new Set(movements.map(({ to }) => findElement(this, to)));
    const turned = this.turnedPieces().filter((piece) => !arriving.has(piece));
    turned.forEach(turnOver);
    playPutDown(this.material, movements.length + turned.length);
    const text = this.bannerText(this.events);
    if (text) showBanner(this, text);
  }

  /** Animate the deal of a round. */
  animateDeal() {}

  /** The ways of the pieces in the last move. @returns {import("./motion.js").Movement[]} */
  movements() {
    const paths = this.events.map(({ path }) => path).filter((path) => path.length > 1);
    return paths.map((path, step) => ({ from: path[0], to: path[path.length - 1], step: Math.min(step, 2) }));
  }

  /** The pieces that were face down before the last move and are open now. @returns {HTMLElement[]} */
  turnedPieces() {
    const wereBacks = [...this.snapshots].filter(([, { clone }]) => clone.matches(".is-back"));
    const pieces = wereBacks.map(([id]) => findElement(this, id)).filter((piece) => piece !== null);
    return pieces.filter((piece) => piece.matches(".piece.is-open"));
  }

  /**
   * @param {GameEvent[]} _events
   * @returns {unknown} the result of the round that just ended; null if none did
   */
  roundSummaryOf(_events) {
    return null;
  }

  /**
   * @param {GameEvent[]} _events
   * @returns {string} a text to show large for a second; empty for an ordinary move
   */
  bannerText(_events) {
    return "";
  }
}

/**
 * The label of a piece or zone.
 * @param {View} view
 * @param {string} id
 */
function labelOf(view, id) {
  const zone = zonesById(view).get(id);
  return zone?.pieces.find((piece) => piece.id === id)?.label ?? zone?.label;
}

/**
 * Distribute the other seats around a wide table, from the viewer's left over the top to the right.
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
