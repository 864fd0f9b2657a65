// Approval requests, each on a card. A new card takes the focus, unless the user is typing. Its buttons do not take the
// focus, and its keys work only after a delay (`data-ready`), so that a key pressed for something else decides nothing.
import { byId, element, isTyping, setText } from './element.js';
import { laidOut } from './run.js';

const moment = 500; // milliseconds: time for the user to notice the card

export class ApprovalCards {
    #decide;
    #announce;
    #cards = new Map();

    /** `decide(question, granted, why)` resolves to a result of `post`. */
    constructor(decide, announce) {
        this.#decide = decide;
        this.#announce = announce;
    }

    show(run, questions) {
        const place = byId('questions');
        const left = new Map(this.#cards);
        let added = null;
        for (const question of questions) {
            const name = `${run}/${question.id}`;
            left.delete(name);
            if (this.#cards.has(name)) continue;
            const card = this.#card(question);
            this.#cards.set(name, card);
            place.append(card);
            added ??= { card, question };
        }
        for (const [name, card] of left) {
            const focused = card.contains(document.activeElement);
            card.remove();
            this.#cards.delete(name);
            if (!focused) continue;
            const [following] = this.#cards.values();
            if (following) this.#focusUnasked(following);
            else byId('pause').focus();
        }
        if (added) {
            this.#announce(`An action requires approval: ${added.question.text || added.question.tool}`);
            if (!isTyping() && !document.querySelector('dialog[open]')) this.#focusUnasked(added.card);
        }
    }

    focusFirst() {
        const [card] = this.#cards.values();
        if (!card) return;
        card.dataset.ready = '';
        card.focus();
    }

    #focusUnasked(card) {
        delete card.dataset.ready;
        clearTimeout(card.waiting);
        card.waiting = setTimeout(() => { card.dataset.ready = ''; }, moment);
        card.focus();
    }

    #card(question) {
        const title = `question-${question.id}`;
        const approve = element('button', { type: 'button', class: 'good', 'aria-keyshortcuts': 'a' }, 'Approve', element('kbd', { 'aria-hidden': true }, 'a'));
        const deny = element('button', { type: 'button', class: 'danger', 'aria-keyshortcuts': 'd' }, 'Deny', element('kbd', { 'aria-hidden': true }, 'd'));
        const why = element('input', { id: `${title}-why`, type: 'text', autocomplete: 'off', placeholder: 'reason for denying (sent to the model)' });
        const told = element('span', { class: 'told' });
        const card = element('section', { class: 'card question', tabindex: -1, 'aria-labelledby': title, 'data-ready': true },
            element('div', { class: 'card-head' },
                element('h2', { id: title }, `Allow ${question.tool}?`),
                element('span', { class: 'spring' }), element('span', { class: 'muted' }, `turn ${question.turn}`)),
            question.text ? element('p', { class: 'asks' }, question.text) : null,
            element('pre', {}, laidOut(question.arguments)),
            element('label', { class: 'unseen', for: `${title}-why` }, 'Reason for denying, sent to the model'),
            why,
            element('div', { class: 'row' }, approve, deny, told));
        const decide = async (granted) => {
            approve.disabled = deny.disabled = true;
            const answer = await this.#decide(question, granted, granted ? '' : why.value.trim());
            if (answer.ok || answer.status === 409) return; // the next state removes the card
            approve.disabled = deny.disabled = false;
            setText(told, `Not accepted: ${answer.error}.`);
        };
        approve.addEventListener('click', () => decide(true));
        deny.addEventListener('click', () => decide(false));
        why.addEventListener('keydown', (event) => {
            if (event.key === 'Enter' && !event.isComposing) decide(false);
        });
        card.decide = decide;
        return card;
    }
}
