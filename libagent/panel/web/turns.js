// The turns: a list to choose from, and one of them in full.
import { byId, element, onChange, setText } from './element.js';
import { brief, count, duration, laidOut, timesOf } from './run.js';

function failed(turn) {
    return (turn.calls ?? []).some((call) => call.ok === false);
}

/** What happened, in a few words. */
function gist(turn) {
    const calls = turn.calls ?? [];
    if (calls.length > 0) return calls.map((call) => call.tool).join(', ');
    return brief(proseOf(turn.words ?? ''), 60) || (turn.turn === 0 ? 'the first look' : '…');
}

/** The story of a reply that is JSON; other words as they are. */
export function proseOf(words) {
    if (!words.trimStart().startsWith('{')) return words;
    try {
        const { observation } = JSON.parse(words);
        return typeof observation === 'string' ? observation : words;
    } catch {
        return words;
    }
}

/** Newest first. Items stay the same elements, so that the keyboard's focus stays where it is. */
export function showTurnList(turns, shownTurn, choose) {
    const list = byId('turns');
    byId('no-turns').hidden = turns.length > 0;
    const items = new Map([...list.children].map((item) => [item.dataset.turn, item]));
    const wanted = turns.map((turn) => {
        const name = String(turn.turn);
        let item = items.get(name);
        if (!item) {
            const button = element('button', { type: 'button' });
            button.addEventListener('click', () => choose(turn.turn));
            item = element('li', { 'data-turn': name }, button);
        }
        items.delete(name);
        const button = item.firstChild;
        const times = timesOf(turn);
        const facts = { gist: gist(turn), role: turn.role ?? '', bad: failed(turn), time: duration(times.look + times.model + times.act || null) };
        onChange(item, facts, () => {
            button.replaceChildren(
                element('span', { class: 'number' }, element('span', { class: 'unseen' }, 'Turn '), name),
                element('span', { class: 'gist' }, facts.gist,
                    facts.bad ? element('span', { class: 'bad' }, ' failed') : null),
                element('span', { class: 'muted' }, facts.time));
        });
        if (turn.turn === shownTurn) button.setAttribute('aria-current', 'true');
        else button.removeAttribute('aria-current');
        return item;
    }).reverse();
    for (const item of items.values()) item.remove();
    wanted.forEach((item, index) => {
        if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
    });
}

function callItem(call) {
    const took = [duration(call.act_ms), call.policy_ms >= 1 ? `${duration(call.policy_ms)} for consent` : ''].filter(Boolean);
    const state = call.ok === true ? 'ok' : call.ok === false ? 'failed' : 'under way';
    const argument = laidOut(call.arguments);
    const result = laidOut(call.result);
    return element('li', { class: 'call', 'data-state': state },
        element('div', { class: 'call-head' },
            element('code', { class: 'tool' }, call.tool),
            element('span', { class: 'chip', 'data-kind': state === 'ok' ? 'good' : state === 'failed' ? 'bad' : 'busy' }, state),
            element('span', { class: 'spring' }),
            element('span', { class: 'muted' }, took.join(' · '))),
        argument === '' ? null : element('pre', { class: 'arguments' }, argument),
        result === '' ? null : element('div', { class: 'result' },
            element('span', { class: 'muted' }, 'Result'), element('pre', {}, result)));
}

/** `turn` or null; `words` and `reasoning` are those of the reply under way, for the latest turn. */
export function showTurn(turn, { number, words, reasoning, streaming }) {
    const said = streaming ? words : turn?.words ?? '';
    const thought = streaming ? reasoning : turn?.reasoning ?? '';
    const prose = streaming ? said : proseOf(said);
    setText(byId('turn-title'), number > 0 ? `Turn ${number}` : 'What it says and does');
    const facts = [];
    if (turn?.role) facts.push(turn.role);
    if (turn?.prompt_tokens) facts.push(`${count(turn.prompt_tokens)} + ${count(turn.completion_tokens)} tokens`);
    if (turn?.model_ms) facts.push(`model ${duration(turn.model_ms)}`);
    setText(byId('turn-facts'), facts.join(' · '));

    const place = byId('words');
    place.classList.toggle('streaming', streaming);
    place.classList.toggle('code', streaming && said.trimStart().startsWith('{'));
    setText(place, prose);
    place.hidden = prose === '' && !streaming;
    byId('reply-box').hidden = prose === said;
    setText(byId('reply'), prose === said ? '' : laidOut(said));
    byId('reasoning-box').hidden = thought === '';
    setText(byId('reasoning'), thought);

    const calls = turn?.calls ?? [];
    onChange(byId('calls'), calls, () => byId('calls').replaceChildren(...calls.map(callItem)));
    byId('calls').hidden = calls.length === 0;
    const notes = turn?.notes ?? [];
    onChange(byId('notes'), notes, () => byId('notes').replaceChildren(...notes.map((note) =>
        element('li', {}, element('span', { class: 'chip', 'data-kind': 'note' }, note.kind), ' ', note.text))));
    byId('notes').hidden = notes.length === 0;
}
