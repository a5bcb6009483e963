/** The messages of docs/protocol.md and the views of core/view.py, for `tsc --checkJs`. */

export interface Piece {
  id: string;
  label: string;
  face: string | null;
  colour: string | null;
  symbol: string | null;
  marks: string[];
}

export interface Zone {
  id: string;
  kind: "grid" | "row" | "fan" | "stack" | "board" | "counter";
  label: string;
  pieces: Piece[];
  owner: number | null;
  columns: number;
  count: number | null;
}

export interface Choice {
  move: number;
  text: string;
  label: string;
  targets: string[];
  group: string;
}

export interface ToldEvent {
  code: string;
  text: string;
  seat: number | null;
  path: string[];
}

export interface View {
  game: string;
  viewer: number;
  seats: number;
  to_move: number;
  prompt: string;
  zones: Zone[];
  scores: number[];
  choices: Choice[];
  end: string | null;
  winners: number[];
  facts: Record<string, any>;
}

export interface Seat {
  seat: number;
  kind: "person" | "program" | "bot" | "empty";
  name: string;
  bot: string | null;
  is_you: boolean;
  is_covered: boolean;
}

export interface Chat {
  number: number;
  at: number;
  name: string;
  seat: number | null;
  text: string;
}

export interface Table {
  id: string;
  number: number;
  game: string;
  title: string;
  phase: "gathering" | "playing" | "paused" | "over";
  setup: { seats: number; options: Record<string, boolean | number | string> };
  source: "deal" | "fork" | "record";
  is_open: boolean;
  seats: Seat[];
  viewer: number;
  invite: string | null;
  commitment: string;
  seed: string | null;
  clock: number | null;
  deadline: number | null;
  now: number | null;
  view: View | null;
  early: boolean;
  queued: string | null;
  can_undo: boolean;
  proposal: { seat: number; agreed: number[] } | null;
  result: { reason: string; text: string; scores: number[]; ranks: number[]; winners: number[] } | null;
  rematch: string | null;
}

export interface Summary {
  id: string;
  game: string;
  title: string;
  phase: Table["phase"];
  seats: Seat[];
  is_open: boolean;
  your_seat: number | null;
  is_your_turn: boolean;
  created_at: number;
}

export interface GameOption {
  name: string;
  label: string;
  help: string;
  clause: string;
  default: boolean | number | string;
  choices: { value: boolean | number | string; label: string }[];
}

export interface GameInfo {
  name: string;
  title: string;
  tagline: string;
  summary: string;
  seats: [number, number];
  usual_seats: number;
  minutes: number;
  version: number;
  is_ready: boolean;
  board: string | null;
  style: string | null;
  cover: string | null;
  options: GameOption[];
}

export interface NewTable {
  game: string;
  seats: number | null;
  options: Record<string, boolean | number | string>;
  is_open: boolean;
  clock: number | null;
  bots: string[];
  sits: boolean;
}

export interface Moment {
  moves: number;
  of: number;
  told: ToldEvent[];
  view: View;
}

export interface NewFork {
  moves: number;
  seat: number;
  bot: string;
  is_imagined: boolean;
}

export interface ExampleInfo {
  name: string;
  clause: string;
  title: string;
}

export interface ExampleShown {
  prompt: string;
  view: View;
  seats: Seat[];
  told: ToldEvent[];
  is_over: boolean;
  seen: string | null;
}

export interface GameStatistics {
  game: string;
  title: string;
  played: { table: string; at: number; rank: number | null; seats: number; score: number; others: string[] }[];
  count: number;
  won: number;
  stopped: number;
  against: { name: string; is_bot: boolean; ahead: number; level: number; behind: number }[];
  ratings: { name: string; is_bot: boolean; is_you: boolean; rating: number; margin: number; games: number }[];
  history: { at: number; rating: number }[];
}

export interface Me {
  id: string;
  name: string;
}

export interface Bot {
  name: string;
  label: string;
}

export interface Acknowledgement {
  id: string;
  table: string;
  number: number;
  new_table?: string;
}

/** What a board is given: see docs/web.md. */
export interface BoardElement extends HTMLElement {
  view: View;
  seats: Seat[];
  told: ToldEvent[];
  isQueued: boolean;
  onChoose: (move: string) => void;
  onExplain: (move: string | null) => void;
}
