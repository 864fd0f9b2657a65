// Making and changing elements. Text goes in as text: whatever a model or a screen says, nothing here reads it
// as markup.

const svgNamespace = 'http://www.w3.org/2000/svg';

function furnished(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        node.setAttribute(name, value === true ? '' : String(value));
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
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

/** Whether keys go into something. */
export function isTyping() {
    const at = document.activeElement;
    return at !== null && (at.matches('textarea, select') || (at.matches('input') && at.type !== 'checkbox'));
}

/** Only where it differs: what a reader has selected stays selected. */
export function setText(node, text) {
    if (node.textContent !== text) node.textContent = text;
}

/** The notice is there as long as it has a text. */
export function setNotice(node, text) {
    setText(node, text);
    node.hidden = text === '';
}

/** Calls `change` when the value is another one than at the last call for this node. */
const shown = new WeakMap();
export function onChange(node, value, change) {
    const key = JSON.stringify(value);
    if (shown.get(node) === key) return;
    shown.set(node, key);
    change();
}
