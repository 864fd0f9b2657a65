// Shortcuts: single keys, which act only outside of text boxes and can be turned off (the list says which).
import { byId, isTyping } from './element.js';

const setting = 'eyehand-single-keys';

/** Where a browser lets a page of a file remember nothing, the keys are on. */
function remembered() {
    try {
        return localStorage.getItem(setting);
    } catch {
        return null;
    }
}

function remember(value) {
    try {
        localStorage.setItem(setting, value);
    } catch { /* for this visit, then */ }
}

/** `actions`: what to call by the key that was pressed. Keys without an action are not in the list of keys. */
export function listenToKeys(actions) {
    const dialog = byId('keys');
    const box = byId('single-keys');
    for (const row of dialog.querySelectorAll('[data-key]')) row.hidden = !(row.dataset.key in actions);
    box.checked = remembered() !== 'off';
    box.addEventListener('change', () => remember(box.checked ? 'on' : 'off'));
    byId('show-keys').addEventListener('click', () => dialog.showModal());

    document.addEventListener('keydown', (event) => {
        const isArrow = event.key.startsWith('Arrow');
        if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
        // Shift and an arrow select text; in a part that scrolls, arrows scroll.
        if (isArrow ? event.shiftKey || document.activeElement?.closest('.scroll') : event.repeat) return;
        if (!box.checked || isTyping() || dialog.open) return;
        const card = document.activeElement?.closest('.question[data-ready]');
        let action = actions[event.key];
        if (card && event.key === 'a') action = () => card.decide(true);
        if (card && event.key === 'd') action = () => card.decide(false);
        if (event.key === '?') action = () => dialog.showModal();
        if (!action) return;
        event.preventDefault();
        action();
    });
}
