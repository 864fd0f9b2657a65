// What the page knows of the run: the server's states and deltas folded into one value.

const mostTurns = 50; // as the server keeps

/** Nothing is known yet. */
export function emptyRun() {
    return { state: null, turns: new Map() };
}

/**
 * The run after a state from the server: a whole one (with `turns`) or a change (with `turn_changed`). Null where
 * a change belongs to a run that the page knows nothing of: it must ask for the whole.
 */
export function withState(run, state) {
    const whole = Array.isArray(state.turns);
    const same = run.state !== null && run.state.run === state.run;
    if (!whole && !same) return null;
    // A poll's answer may come later than a newer event.
    if (same && state.seq < run.state.seq) return run;
    const turns = whole ? new Map(state.turns.map((turn) => [turn.turn, turn])) : new Map(run.turns);
    if (state.turn_changed) turns.set(state.turn_changed.turn, state.turn_changed);
    for (const old of [...turns.keys()].sort((a, b) => a - b).slice(0, -mostTurns)) turns.delete(old);
    return { state: { text: '', reasoning: '', ...state }, turns };
}

/** The run after more words of the model. */
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

/** The turns in their order. */
export function turnsOf(run) {
    return [...run.turns.values()].sort((a, b) => a.turn - b.turn);
}

/** The turn whose picture a turn saw: its own or, where it saw none, the latest before it. */
export function pictureOf(run, number) {
    const before = turnsOf(run).filter((turn) => turn.turn <= number && turn.picture);
    return before.length > 0 ? before[before.length - 1].picture : null;
}

/** The places of a turn's calls, each with its number; a second point is where a drag ended. */
export function marksOf(turn) {
    return (turn?.calls ?? [])
        .map((call, index) => ({ number: index + 1, at: call.points?.[0], to: call.points?.[1] }))
        .filter((mark) => mark.at !== undefined);
}

/**
 * What a turn's picture shows as aimed at: the turn's own places or, while the `current` one has none yet, where the
 * action before it went. What waits for consent is shown as that.
 */
export function targetsOf(run, number, current) {
    const marks = marksOf(run.turns.get(number));
    const { outcome, questions, targets } = run.state;
    if (marks.length > 0 || !current || outcome || questions?.length > 0 || !targets?.length) return marks;
    const last = turnsOf(run).flatMap(marksOf).pop();
    return [{ number: last?.number ?? 1, at: targets[0], to: targets[1] }];
}

/**
 * The heat of the turns before for a picture without annotation, the latest first. Turns that touched no place (somebody
 * planned) do not age the others. This turn's own places, which would lie at the front, are the page's targets.
 */
export function trailBefore(run, number) {
    const earlier = turnsOf(run)
        .filter((turn) => turn.turn < number)
        .map(marksOf)
        .filter((marks) => marks.length > 0)
        .reverse();
    return earlier.length > 0 ? [[], ...earlier] : [];
}

const sum = (values) => values.reduce((total, value) => total + (value ?? 0), 0);

/** Milliseconds of a turn by what they went into. */
export function timesOf(turn) {
    return {
        model: turn.model_ms ?? turn.wait_ms ?? 0, // the one holds the other
        act: sum((turn.calls ?? []).map((call) => call.act_ms)),
        look: sum([turn.settle_ms, turn.capture_ms, turn.scale_ms, turn.encode_ms]),
    };
}

/** "0.4 s", "12 s", "3 min 20 s"; empty for what is unknown. */
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

/** "1,234"; a dash for what is unknown. */
export function count(value) {
    return value === null || value === undefined ? '–' : value.toLocaleString('en-US');
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

/** A JSON value or a JSON text, laid out to be read, what is short on one line; what is no JSON as it is. */
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

/** In one short line. */
export function brief(value, most = 96) {
    const text = (typeof value === 'string' ? value : JSON.stringify(value) ?? '').replace(/\s+/g, ' ').trim();
    const characters = [...text];
    return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
