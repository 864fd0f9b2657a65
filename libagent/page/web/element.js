// Creates and changes elements. Text is inserted as text: text from models and screens is never parsed as HTML. Characters
// that a reader does not see are shown as escapes.
import { escapeInvisible } from './invisible.js';

const svgNamespace = 'http://www.w3.org/2000/svg';

function furnished(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        node.setAttribute(name, value === true ? '' : escapeInvisible(String(value)));
    }
    node.append(...children.filter((child) => child !== null && child !== undefined)
        .map((child) => (child instanceof Node ? child : escapeInvisible(String(child)))));
    return node;
}

/** element('p', {class: 'words'}, 'text', other) */
export function element(tag, attributes = {}, ...children) {
    return furnished(document.createElement(tag), attributes, children);
}

export function svgElement(tag, attributes = {}, ...children) {
    return furnished(document.createElementNS(svgNamespace, tag), attributes, children);
}

export const byId = (id) => document.getElementById(id);

/** Whether a text control has the focus. */
export function isTyping() {
    const at = document.activeElement;
    return at !== null && (at.matches('textarea, select') || (at.matches('input') && at.type !== 'checkbox'));
}

/** Changes the text only if it differs, so that a selection in it stays. */
export function setText(node, text) {
    const shown = escapeInvisible(text);
    if (node.textContent !== shown) node.textContent = shown;
}

/** Shows the notice while it has a text. */
export function setNotice(node, text) {
    setText(node, text);
    node.hidden = text === '';
}

/** Calls `change` if the value differs from that of the last call for this node. */
const shown = new WeakMap();
export function onChange(node, value, change) {
    const key = JSON.stringify(value);
    if (shown.get(node) === key) return;
    shown.set(node, key);
    change();
}
