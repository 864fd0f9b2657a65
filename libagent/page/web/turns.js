// The list of turns, and the details of the selected turn.
import { byId, element, onChange, setText } from './element.js';
import { requestDetails } from './request.js';
import { brief, callsOf, count, duration, hasFailed, isFailure, laidOut, partsOfTime, timeOf, timesOf, tokensOf, withoutThoughts } from './run.js';

const longCode = 1200; // characters; longer texts are collapsed

/** The observation of a reply in JSON; other text unchanged. */
export function proseOf(words) {
    if (!words.trimStart().startsWith('{')) return words;
    try {
        const { observation } = JSON.parse(words);
        return typeof observation === 'string' ? observation : words;
    } catch {
        return words;
    }
}

function wordsOf(turn) {
    return (turn.items ?? []).filter((item) => item.kind === 'reply' || item.kind === 'given_reply')
        .map((item) => withoutThoughts(item.text ?? '').words).filter(Boolean).join(' ');
}

/** A short summary of a turn. */
function gist(turn) {
    const calls = callsOf(turn);
    if (calls.length > 0) return calls.map((call) => call.tool).join(', ');
    return brief(proseOf(wordsOf(turn)), 60) || (turn.turn === 0 ? 'first screenshot' : '…');
}

/** "Turn 3: click_element, failed, 2.1 s" */
export function nameOf(turn) {
    const calls = callsOf(turn).map((call) => call.tool).join(', ') || 'no call';
    return `Turn ${turn.turn}: ${calls}${hasFailed(turn) ? ', failed' : ''}, ${duration(timeOf(turn))}`;
}

/**
 * Shows `turns` in the given order. Reuses the elements of the list, so that the keyboard focus does not move.
 * `onlyFailures` hides turns without failures.
 */
export function showTurnList(turns, { shownTurn, choose, onlyFailures }) {
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
        const facts = { gist: gist(turn), bad: hasFailed(turn), time: duration(timeOf(turn) || null) };
        onChange(item, facts, () => {
            item.classList.toggle('failed', facts.bad);
            button.replaceChildren(
                element('span', { class: 'number' }, element('span', { class: 'unseen' }, 'Turn '), name),
                element('span', { class: 'gist' }, facts.gist,
                    facts.bad ? element('span', { class: 'bad' }, ' failed') : null),
                element('span', { class: 'muted' }, facts.time));
        });
        item.hidden = onlyFailures && !facts.bad;
        if (turn.turn === shownTurn) button.setAttribute('aria-current', 'true');
        else button.removeAttribute('aria-current');
        return item;
    });
    for (const item of items.values()) item.remove();
    wanted.forEach((item, index) => {
        if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
    });
}

// ---- items of a turn ------------------------------------------------------------------------------

function folded(title, content, name = '') {
    return element('details', { class: name }, element('summary', {}, title), content);
}

/** JSON or text; long texts are collapsed. */
function code(text, title, name) {
    const block = element('pre', { class: name }, text);
    return text.length > longCode ? folded(`${title}, ${count(text.length)} characters`, block) : block;
}

function meta(...parts) {
    const text = parts.filter(Boolean).join(' · ');
    return text === '' ? null : element('p', { class: 'meta muted' }, text);
}

const took = (milliseconds, what) => (milliseconds > 0 ? `${what} ${duration(milliseconds)}` : '');

function said(text) {
    return element('p', { class: 'words' }, text);
}

function reply({ text, reasoning, notes = [], ...item }) {
    const { words, thoughts } = withoutThoughts(text);
    const prose = proseOf(words);
    const reasons = [reasoning, thoughts].filter(Boolean).join('\n\n');
    const tokens = [['prompt_tokens', 'in'], ['cached_tokens', 'cached'], ['completion_tokens', 'out']]
        .filter(([name]) => item[name] !== null && item[name] !== undefined)
        .map(([name, word]) => `${count(item[name])} ${word}`);
    return [
        reasons ? folded('Reasoning', said(reasons), 'reasoning') : null,
        words === '' ? element('p', { class: 'muted' }, 'The reply has no text.') : said(prose),
        prose === words ? null : folded('Full reply', element('pre', {}, laidOut(words))),
        ...notes.map((note) => element('p', { class: 'muted' }, note)),
        meta(item.model, tokens.length > 0 ? `tokens: ${tokens.join(', ')}` : '', took(item.model_ms, 'took'),
            item.end ? `finish reason: ${item.end}` : ''),
    ];
}

const chip = (text, kind) => element('span', { class: 'chip', 'data-kind': kind }, text);

function callState({ ok, interrupted }, isOver) {
    if (interrupted) return ['interrupted', 'bad'];
    if (ok === true) return ['ok', 'good'];
    if (ok === false) return ['failed', 'bad'];
    return isOver ? ['result unknown', 'wait'] : ['running', 'busy'];
}

/** How the guard decided; empty for what it allows by default. */
function guardWords(guard) {
    if (!guard || guard.rule === 'default') return '';
    const decision = guard.allowed ? 'allowed' : 'denied';
    const decider = {
        user: `by the user${guard.channel ? ` (${guard.channel})` : ''}`,
        unattended: 'because no user could be asked',
    }[guard.decider];
    return ['Guard:', decision, decider, `rule "${guard.rule}"`].filter(Boolean).join(' ');
}

function call(item, isOver) {
    const argument = laidOut(item.arguments);
    const result = laidOut(item.result);
    const times = [duration(item.act_ms), item.policy_ms >= 1 ? `${duration(item.policy_ms)} for approval` : ''];
    return [
        element('div', { class: 'call-head' },
            element('code', { class: 'tool' }, item.tool),
            chip(...callState(item, isOver)),
            element('span', { class: 'spring' }),
            element('span', { class: 'muted' }, times.filter(Boolean).join(' · '))),
        argument === '' || argument === '{}' ? null : code(argument, 'Arguments', 'arguments'),
        result === '' ? null : element('div', { class: 'result' },
            element('span', { class: 'muted' }, 'Result'), code(result, 'Result', '')),
        guardWords(item.guard) ? element('div', { class: 'muted' }, guardWords(item.guard)) : null,
        item.desktop_failure ? said(item.desktop_failure) : null,
    ];
}

const contents = {
    request: (item, isOver, context) => [requestDetails(item, context)],
    reply,
    given_reply: (item) => [meta('This reply did not come from the model'), ...reply({ reasoning: '', ...item })],
    call,
    recovery: (item) => [
        element('p', {}, chip(item.ok === false ? 'recovery failed' : 'recovery', item.ok === false ? 'bad' : 'note'), ' ', item.why),
        item.problem ? said(item.problem) : null,
        meta(took(item.act_ms, 'took')),
    ],
    note: (item) => [element('p', {}, chip(item.about, 'note'), ' ', item.text)],
    message: (item) => [element('p', {}, chip('message', 'note'), ' ', item.text)],
    injected_reply: (item) => [element('p', {}, chip('injected reply', 'note')), said(item.text)],
    request_failed: (item) => [element('p', {}, chip('request failed', 'bad'), ' ', item.text), meta(item.error)],
    screenshot_failed: (item) => [element('p', {}, chip('screenshot failed', 'bad'), ' ', item.text), meta(item.error)],
    stopped: (item) => [element('p', {}, chip('stopped', 'wait'), ' ', item.text)],
    resumed: (item) => [element('p', {}, chip('resumed', 'note')), ...(item.remarks ?? []).map(said)],
};

/** Shows an item in its list element. `isOver`: the run has ended. `context`: see requestDetails. */
function fillItem(place, item, isOver, context) {
    const failed = isFailure(item);
    place.className = `item ${item.kind}${failed ? ' failed' : ''}`;
    if (item.kind === 'call') [place.dataset.state] = callState(item, isOver);
    const make = contents[item.kind] ?? (() => [element('pre', {}, laidOut(item))]);
    place.replaceChildren(...make(item, isOver, context).filter((child) => child !== null));
}

/** Reuses the elements of the items, so that expanded details stay expanded. */
function showItems(turn, isOver, context) {
    const list = byId('items');
    const name = `${context.run().state?.run} ${turn?.turn ?? ''}`;
    if (list.dataset.turn !== name) list.replaceChildren();
    list.dataset.turn = name;
    const items = turn?.items ?? [];
    while (list.children.length > items.length) list.lastChild.remove();
    while (list.children.length < items.length) list.append(element('li'));
    items.forEach((item, index) => {
        const place = list.children[index];
        // Expanded texts of a request stay when the run ends.
        const over = isOver && item.kind !== 'request';
        onChange(place, [item, over], () => fillItem(place, item, over, context));
    });
    list.hidden = items.length === 0;
}

function showTimes(turn) {
    const parts = turn ? partsOfTime(turn) : [];
    byId('times-box').hidden = parts.length === 0;
    if (parts.length === 0) return;
    const all = [...parts, ['total', timeOf(turn)]];
    onChange(byId('times'), all, () => byId('times').replaceChildren(...all.map(([name, milliseconds]) =>
        element('div', {}, element('dt', {}, name), element('dd', {}, duration(milliseconds))))));
}

/** Shows `turn`, or nothing for null. `words` and `reasoning` belong to the reply that streams in; `context`: see requestDetails. */
export function showTurn(turn, { number, words, reasoning, streaming, isOver, phases, context }) {
    setText(byId('turn-title'), number > 0 ? `Turn ${number}` : 'Turn');
    const facts = [];
    if (turn?.role) facts.push(phases[turn.role] ? `${turn.role}, ${phases[turn.role]}` : turn.role);
    const tokens = turn ? tokensOf(turn) : {};
    if (tokens.prompt) facts.push(`${count(tokens.prompt)} + ${count(tokens.completion)} tokens`);
    const { model } = turn ? timesOf(turn) : { model: 0 };
    if (model > 0) facts.push(`model ${duration(model)}`);
    setText(byId('turn-facts'), facts.join(' · '));
    showItems(turn, isOver, context);
    setText(byId('left-out'), turn?.left_out > 0 ? `${count(turn.left_out)} more entries are not shown.` : '');
    showTimes(turn);

    const place = byId('words');
    place.hidden = !streaming;
    place.classList.toggle('streaming', streaming);
    place.classList.toggle('code', streaming && words.trimStart().startsWith('{'));
    setText(place, streaming ? words : '');
    byId('reasoning-box').hidden = !streaming || reasoning === '';
    setText(byId('reasoning'), streaming ? reasoning : '');
}
