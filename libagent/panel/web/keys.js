// Shortcuts: single keys, which act only while nobody is typing and can be turned off (the list says which).
import { byId } from './element.js';
import { isTyping } from './questions.js';

const setting = 'eyehand-single-keys';

/** `actions`: what to call by the key that was pressed. */
export function listenToKeys(actions) {
    const dialog = byId('keys');
    const box = byId('single-keys');
    box.checked = localStorage.getItem(setting) !== 'off';
    box.addEventListener('change', () => localStorage.setItem(setting, box.checked ? 'on' : 'off'));
    byId('show-keys').addEventListener('click', () => dialog.showModal());

    document.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing) return;
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
