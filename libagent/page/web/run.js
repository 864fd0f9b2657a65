// The page's model of a run: its turns and state, folded from the server's updates or read from a report.

const mostTurns = 50; // the limit of the server

/** A run without data. */
export function emptyRun() {
    return { state: null, turns: new Map() };
}

/**
 * The run after a state from the server: a full state (with `turns`) or a change (with `turn_changed`). Null if a change
 * belongs to an unknown run: the page must request the full state.
 */
export function withState(run, state) {
    const whole = Array.isArray(state.turns);
    const same = run.state !== null && run.state.run === state.run;
    if (!whole && !same) return null;
    // The answer to a poll may arrive after a newer event.
    if (same && state.seq < run.state.seq) return run;
    const turns = whole ? new Map(state.turns.map((turn) => [turn.turn, turn])) : new Map(run.turns);
    if (state.turn_changed) turns.set(state.turn_changed.turn, state.turn_changed);
    for (const old of [...turns.keys()].sort((a, b) => a - b).slice(0, -mostTurns)) turns.delete(old);
    return { state: { text: '', reasoning: '', ...state }, turns };
}

/** The run after more text of the model's reply. */
export function withDelta(run, delta) {
    const { state } = run;
    if (state === null || delta.run !== state.run) return run;
    return {
        ...run,
        state: {
            ...state,
            text: state.text + (delta.text ?? ''),
            reasoning: state.reasoning + (delta.reasoning ?? ''),
        },
    };
}

/** The run of a report: all turns, without the data of a live run. */
export function frozenRun({ run, state, turns, screenshots }) {
    const screenshotOf = (number) => (number === null ? null : screenshots[number] ?? null);
    return {
        state: {
            phase: 'unfinished', live: false, questions: [], targets: [], text: '', reasoning: '', ...state, run,
        },
        turns: new Map(turns.map((turn) =>
            [turn.turn, { ...turn, seen: screenshotOf(turn.seen), after: screenshotOf(turn.after) }])),
    };
}

/** The turns in their order. */
export function turnsOf(run) {
    return [...run.turns.values()].sort((a, b) => a.turn - b.turn);
}

/** The latest screenshot at the beginning of a turn; it may belong to an earlier turn. */
export function seenOf(run, number) {
    const own = run.turns.get(number)?.seen;
    if (own) return own;
    const before = turnsOf(run).filter((turn) => turn.turn < number && (turn.after || turn.seen)).pop();
    return before ? before.after ?? before.seen : null;
}

/** The first screenshot after the one that `seenOf` returns, in that turn or in a later one; or null. */
export function afterOf(run, number) {
    const seen = seenOf(run, number);
    const looks = turnsOf(run).filter((turn) => turn.turn >= number).flatMap((turn) => [turn.seen, turn.after]);
    return looks.find((look) => look && (seen === null || look.n > seen.n)) ?? null;
}

/**
 * Whether the screenshots before and after a turn show the effect of that turn alone: no other turn has acted between them.
 */
export function showsOnlyEffectOf(run, number, before, after) {
    if (before === null || after === null) return false;
    return turnsOf(run).every((turn) => {
        if (turn.turn === number || !callsOf(turn).some((call) => call.acts)) return true;
        const seen = seenOf(run, turn.turn);
        return seen === null || seen.n < before.n || seen.n >= after.n;
    });
}

function requestsOf(run) {
    return turnsOf(run).flatMap((turn) => (turn.items ?? []).filter((item) => item.kind === 'request')
        .map((item) => ({ item, turn: turn.turn })));
}

/** The turn of the request with this number; null if the page does not have it. */
export function turnOfRequest(run, number) {
    return requestsOf(run).find(({ item }) => item.number === number)?.turn ?? null;
}

/** All messages of the request with this number; null if the page lacks one of the requests that they are from. */
export function messagesOf(run, number) {
    const requests = new Map(requestsOf(run).map(({ item }) => [item.number, item]));
    const chain = [];
    for (let at = number; ;) {
        const request = requests.get(at);
        if (request === undefined || request.left_out > 0) return null;
        chain.unshift(request);
        if (request.same === 0) break;
        if (request.previous >= at) return null; // a damaged journal
        at = request.previous;
    }
    return chain.reduce((messages, { same, added }) => [...messages.slice(0, same), ...added], []);
}

/** The screenshot with this hash that the model received; null if the page does not have it. */
export function screenshotOf(run, sha256) {
    const looks = turnsOf(run).flatMap((turn) => [turn.seen, turn.after]);
    return looks.find((look) => look && look.sha256 === sha256) ?? null;
}

/** The words of a reply without its thoughts in think tags, and the thoughts. An unclosed tag extends to the end. */
export function withoutThoughts(text) {
    const thoughts = [];
    let words = '';
    let rest = text;
    for (;;) {
        const open = rest.indexOf('<think>');
        const close = rest.indexOf('</think>');
        if (close >= 0 && (open < 0 || close < open)) { // a chat template removed the opening tag
            thoughts.push(words + rest.slice(0, close));
            words = '';
            rest = rest.slice(close + '</think>'.length);
        } else if (open < 0) {
            return { words: (words + rest).trim(), thoughts: thoughts.map((one) => one.trim()).filter(Boolean).join('\n\n') };
        } else {
            words += rest.slice(0, open);
            const end = rest.indexOf('</think>', open);
            thoughts.push(rest.slice(open + '<think>'.length, end < 0 ? undefined : end));
            rest = end < 0 ? '' : rest.slice(end + '</think>'.length);
        }
    }
}

export function callsOf(turn) {
    return (turn?.items ?? []).filter((item) => item.kind === 'call');
}

function repliesOf(turn) {
    return (turn?.items ?? []).filter((item) => item.kind === 'reply');
}

/** Whether a call, recovery, request or screenshot of the turn failed. */
export function hasFailed(turn) {
    return (turn.items ?? []).some(isFailure);
}

export function isFailure(item) {
    if (item.kind === 'call' || item.kind === 'recovery') return item.ok === false;
    return item.kind === 'request_failed' || item.kind === 'screenshot_failed';
}

/** The targets of a turn's calls, numbered; `to` is the end of a drag, `path` its points. */
export function marksOf(turn) {
    return callsOf(turn)
        .map(({ points = [] }, index) => ({
            number: index + 1, at: points[0], to: points.length > 1 ? points[points.length - 1] : undefined,
            ...(points.length > 2 ? { path: points } : {}),
        }))
        .filter((mark) => mark.at !== undefined);
}

/**
 * The targets to show on a turn's screenshot: the turn's own targets or, while the `current` turn has none, the targets of
 * the previous action. Targets that wait for approval are shown separately.
 */
export function targetsOf(run, number, current) {
    const marks = marksOf(run.turns.get(number));
    const { outcome, questions, targets } = run.state;
    if (marks.length > 0 || !current || outcome || questions?.length > 0 || !targets?.length) return marks;
    const last = turnsOf(run).flatMap(marksOf).pop();
    return [{ number: last?.number ?? 1, at: targets[0], to: targets.length > 1 ? targets[targets.length - 1] : undefined }];
}

/**
 * The heat of earlier turns for a screenshot without annotation, the latest first. Turns without targets (such as planning)
 * do not age the others. The first element, this turn's own heat, is empty: the page shows it as targets.
 */
export function trailBefore(run, number) {
    const earlier = turnsOf(run)
        .filter((turn) => turn.turn < number)
        .map(marksOf)
        .filter((marks) => marks.length > 0)
        .reverse();
    return earlier.length > 0 ? [[], ...earlier] : [];
}

/** A place in 0 to 1000 of the work area, in 0 to 1000 of a picture that may show only a part of it. */
export function placeIn({ part }, [x, y]) {
    if (!part) return [x, y];
    const [left, top, right, bottom] = part;
    return [((x - left) * 1000) / (right - left), ((y - top) * 1000) / (bottom - top)];
}

export const isInside = ([x, y]) => x >= 0 && x <= 1000 && y >= 0 && y <= 1000;

/** The marks in a picture, without those outside the part that it shows. */
export function marksIn(picture, marks) {
    if (!picture.part) return marks;
    return marks
        .map((mark) => ({
            ...mark, at: placeIn(picture, mark.at),
            ...(mark.to ? { to: placeIn(picture, mark.to) } : {}),
            ...(mark.path ? { path: mark.path.map((place) => placeIn(picture, place)) } : {}),
        }))
        .filter(({ at, to }) => isInside(at) || (to && isInside(to)));
}

/** Whether both pictures show the same part of the work area. */
export const showSamePart = (one, other) => String(one.part ?? '') === String(other.part ?? '');

const sum = (values) => values.reduce((total, value) => total + (value ?? 0), 0);

/** The screenshots that were taken for the turn or during it. */
function looksOf(turn) {
    const own = [turn.seen, turn.after].filter((look) => look && look.turn === turn.turn);
    return own.length === 2 && own[0].n === own[1].n ? [own[0]] : own;
}

const lookTimes = ['settle_ms', 'capture_ms', 'scale_ms', 'encode_ms', 'annotate_ms'];

/** The duration of a turn's activities, in milliseconds. */
export function timesOf(turn) {
    const acts = (turn.items ?? []).filter((item) => item.kind === 'call' || item.kind === 'recovery');
    return {
        model: sum(repliesOf(turn).map((reply) => reply.model_ms ?? reply.wait_ms)), // model_ms includes wait_ms
        act: sum(acts.map((item) => item.act_ms)),
        look: sum(looksOf(turn).flatMap((look) => lookTimes.slice(0, 4).map((name) => look[name]))),
    };
}

/** All parts of a turn's duration above 0: [name, milliseconds]. */
export function partsOfTime(turn) {
    const replies = repliesOf(turn);
    const items = turn.items ?? [];
    const parts = [
        ...lookTimes.map((name) => [name.replace('_ms', ''), sum(looksOf(turn).map((look) => look[name]))]),
        ['first token', sum(replies.map((reply) => reply.wait_ms))],
        ['model, total', sum(replies.map((reply) => reply.model_ms))],
        ['approval', sum(items.map((item) => item.policy_ms))],
        ['act', sum(items.map((item) => item.act_ms))],
    ];
    return parts.filter(([, milliseconds]) => milliseconds > 0);
}

/** The total duration of a turn. */
export function timeOf(turn) {
    const { look, model, act } = timesOf(turn);
    return look + model + act + sum(looksOf(turn).map((shown) => shown.annotate_ms)) +
        sum((turn.items ?? []).map((item) => item.policy_ms));
}

/** The tokens of a turn's replies; null for what no reply reported. */
export function tokensOf(turn) {
    const total = (name) => {
        const reported = repliesOf(turn).map((reply) => reply[name]).filter((value) => value !== null && value !== undefined);
        return reported.length > 0 ? sum(reported) : null;
    };
    return { prompt: total('prompt_tokens'), cached: total('cached_tokens'), completion: total('completion_tokens') };
}

/** "0.4 s", "12 s", "3 min 20 s"; empty for an unknown duration. */
export function duration(milliseconds) {
    if (milliseconds === null || milliseconds === undefined) return '';
    if (milliseconds > 0 && milliseconds < 0.1) return '< 0.1 ms';
    if (milliseconds < 10) return `${Number(milliseconds.toFixed(1))} ms`;
    if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
    const seconds = milliseconds / 1000;
    if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
    if (seconds < 119.5) return `${Math.round(seconds)} s`;
    const whole = Math.round(seconds);
    return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** "1,234"; a dash for an unknown number. */
export function count(value) {
    return value === null || value === undefined ? '–' : value.toLocaleString('en-US');
}

/** "1 turn", "2 turns" */
export function counted(value, word) {
    return `${count(value)} ${word}${value === 1 ? '' : 's'}`;
}

const lineWidth = 88;

function inOneLine(value) {
    if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    return `{${Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${inOneLine(part)}`).join(', ')}}`;
}

function written(value, indent) {
    const one = inOneLine(value);
    if (typeof value !== 'object' || value === null || one.length + indent.length <= lineWidth) return one;
    const deeper = `${indent}  `;
    const parts = Array.isArray(value)
        ? value.map((part) => written(part, deeper))
        : Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${written(part, deeper)}`);
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`;
}

/** A JSON value or JSON text, formatted, with short parts on one line; other text unchanged. */
export function laidOut(value) {
    if (value === null || value === undefined) return '';
    if (typeof value !== 'string') return written(value, '');
    try {
        const parsed = JSON.parse(value);
        return typeof parsed === 'object' && parsed !== null ? written(parsed, '') : value;
    } catch {
        return value;
    }
}

/** The value on one line of at most `most` characters. */
export function brief(value, most = 96) {
    const text = (typeof value === 'string' ? value : JSON.stringify(value) ?? '').replace(/\s+/g, ' ').trim();
    const characters = [...text];
    return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
