/** The part of Lit that we use, as far as its types matter to us. */

export class LitElement extends HTMLElement {
  readonly updateComplete: Promise<boolean>;
  readonly hasUpdated: boolean;
  requestUpdate(): void;
  addController(controller: { hostConnected?(): void; hostDisconnected?(): void }): void;
  connectedCallback(): void;
  disconnectedCallback(): void;
}
export function html(strings: TemplateStringsArray, ...values: unknown[]): unknown;
export function svg(strings: TemplateStringsArray, ...values: unknown[]): unknown;
export function render(value: unknown, container: HTMLElement): void;
export function repeat<Item>(items: Item[], key: (item: Item) => unknown, draw: (item: Item, place: number) => unknown): unknown;
export function keyed(key: unknown, value: unknown): unknown;
export function classMap(classes: Record<string, boolean>): unknown;
export const nothing: symbol;
