/** Keyboard shortcuts of a page: pressed anywhere outside of text fields, and listed with `?`. */

import { html, LitElement, nothing } from "../vendor/lit.js";
import { translate } from "../words.js";
import { icon } from "./symbols.js";

/**
 * A shortcut: its keys (`KeyboardEvent.key`), what it does in words, and the function, if not the browser's own.
 * @typedef {{keys: string[], label: string, run?: () => void}} Shortcut
 */

/** @type {Record<string, string>} */
const KEY_NAMES = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  " ": "␣",
};

/**
 * Run the shortcut of a key, unless it is typed into a field.
 * @param {KeyboardEvent} event
 * @param {Shortcut[]} shortcuts
 */
export function runShortcut(event, shortcuts) {
  const target = /** @type {HTMLElement} */ (event.target);
  const isTyped = target.closest?.("input:not([type=range]), textarea, select, dialog, [contenteditable]");
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyped) return;
  const shortcut = shortcuts.find(({ keys, run }) => run && keys.includes(event.key));
  if (!shortcut?.run) return;
  event.preventDefault();
  shortcut.run();
}

class ShortcutsDialog extends LitElement {
  static properties = { shortcuts: { attribute: false } };

  constructor() {
    super();
    /** @type {Shortcut[]} */
    this.shortcuts = [];
  }

  createRenderRoot() {
    return this;
  }

  /** @param {Shortcut[]} shortcuts */
  async show(shortcuts) {
    this.shortcuts = shortcuts;
    await this.updateComplete;
    this.dialog.showModal();
  }

  get dialog() {
    return /** @type {HTMLDialogElement} */ (this.querySelector("dialog"));
  }

  render() {
    return html`<dialog class="sheet shortcuts-list" aria-labelledby="shortcuts-title">
      <div class="sheet-head">
        <h2 id="shortcuts-title">${translate("keys.title")}</h2>
        <button class="icon-button" aria-label=${translate("app.close")} @click=${() => this.dialog.close()}>
          ${icon("close")}
        </button>
      </div>
      <dl>
        ${this.shortcuts.map(
          ({ keys, label }) =>
            html`<div>
              <dt>${keys.map((key, index) => html`${index ? " " : nothing}<kbd>${keyName(key)}</kbd>`)}</dt>
              <dd>${label}</dd>
            </div>`,
        )}
      </dl>
    </dialog>`;
  }
}

/** @param {string} key */
function keyName(key) {
  const named = { Escape: translate("keys.escape"), Enter: translate("keys.enter"), Tab: "Tab" };
  return KEY_NAMES[key] ?? named[/** @type {keyof typeof named} */ (key)] ?? key;
}

/** Show the list of shortcuts. @param {Shortcut[]} shortcuts */
export function showShortcuts(shortcuts) {
  let dialog = /** @type {ShortcutsDialog | null} */ (document.querySelector("shortcuts-dialog"));
  if (!dialog) {
    dialog = new ShortcutsDialog();
    document.body.append(dialog);
  }
  void dialog.show(shortcuts);
}

customElements.define("shortcuts-dialog", ShortcutsDialog);
