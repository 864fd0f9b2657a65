// Single-key shortcuts. They work only outside of text boxes, and users can disable them.
import { byId, isTyping } from './element.js';

const setting = 'eyehand-single-keys';

/** Null, which enables the keys, if the browser denies storage (to a page from a file, for example). */
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
    } catch { /* the choice holds until the page is closed */ }
}

/** `actions`: functions by key. The list of keys hides keys without an action. */
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
        // Shift with an arrow selects text; arrows scroll scrollable areas.
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
