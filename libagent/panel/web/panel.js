// The panel's page: shows a run as it happens and holds its controls. Nothing but text ever comes from the run
// into the page (element.js).
import { Annotator } from './annotate.js';
import { showChart } from './chart.js';
import { Connection, post } from './connection.js';
import { byId, element, onChange, setNotice, setText } from './element.js';
import { listenToKeys } from './keys.js';
import { Questions } from './questions.js';
import { count, duration, emptyRun, pictureOf, targetsOf, trailBefore, turnsOf, withDelta, withState } from './run.js';
import { Stage } from './stage.js';
import { showTurn, showTurnList } from './turns.js';

const phaseWords = {
    idle: 'not begun',
    waiting_inject: 'waits for a reply',
    executing: 'acting',
    capturing: 'looking',
    waiting_annotated: 'waits for its picture',
    calling_model: 'asking the model',
    paused: 'paused',
    finished: 'finished',
    interrupted: 'was interrupted',
    following: 'goes on elsewhere',
};
const outcomeWords = {
    completed: 'Completed',
    failed: 'Failed',
    steps_used_up: 'Steps used up',
    endpoint_failed: 'The endpoint failed',
    desktop_failed: 'The desktop failed',
    refused: 'Refused',
    cancelled: 'Stopped',
};

async function configuration() {
    for (;;) {
        try {
            const answer = await fetch('/config', { cache: 'no-store' });
            if (answer.ok) return await answer.json();
        } catch {
            // The program may come back.
        }
        setNotice(byId('link-notice'), 'The program does not answer. Trying again…');
        await new Promise((resolve) => { setTimeout(resolve, 1000); });
    }
}

let config = await configuration();
setNotice(byId('link-notice'), '');

let run = emptyRun();
let chosen = null; // the turn that is looked at; null: always the latest
let drawing = false;

let announcing = null;

/** The same text twice is a change twice. */
function announce(text) {
    setText(byId('announce'), '');
    clearTimeout(announcing);
    announcing = setTimeout(() => setText(byId('announce'), text));
}

// ---- what is shown ------------------------------------------------------------------------------

const stage = new Stage(config);
const newAnnotator = () => new Annotator(config, (problem) => setNotice(byId('draw-notice'), problem));
let annotator = newAnnotator(); // null while another run's settings are asked for
const questions = new Questions(
    (question, granted, why) => send('/decide', { id: question.id, granted, ...(why ? { why } : {}) }),
    announce);

function drawSoon() {
    if (drawing) return;
    drawing = true;
    // A hidden tab has no frames, but its title and what it announces call somebody back.
    const soon = document.hidden ? setTimeout : requestAnimationFrame;
    soon(() => {
        drawing = false;
        if (run.state !== null) draw();
    });
}

/** "asking the model", and how the run is held up. */
function phaseOf(state) {
    if (state.outcome) return { text: 'finished', kind: state.outcome.outcome === 'completed' ? 'good' : 'bad' };
    if (state.questions.length > 0) return { text: 'waits for you', kind: 'wait' };
    if (state.held) return { text: 'paused', kind: 'wait' };
    const words = phaseWords[state.phase] ?? state.phase;
    if (state.stopping) return { text: `${words}, then stops`, kind: 'wait' };
    if (state.paused) return { text: `${words}, then pauses`, kind: 'wait' };
    const waits = ['waiting_inject', 'paused', 'idle', 'interrupted'].includes(state.phase);
    return { text: words, kind: waits ? 'wait' : 'busy' };
}

function showHead(state) {
    const phase = phaseOf(state);
    setText(byId('phase'), phase.text);
    byId('phase').dataset.kind = phase.kind;
    setText(byId('task'), state.task || 'Eyehand');
    byId('task').title = state.task ?? '';
    const turns = turnsOf(run);
    const sum = (name) => turns.reduce((all, turn) => all + (turn[name] ?? 0), 0);
    const tokens = state.tokens?.prompt ?? state.outcome?.prompt_tokens ?? sum('prompt_tokens');
    const replied = state.tokens?.completion ?? state.outcome?.completion_tokens ?? sum('completion_tokens');
    const facts = [state.profile, state.role !== state.profile ? state.role : '', state.model,
        state.turn > 0 ? `turn ${state.turn}` : '', tokens + replied > 0 ? `${count(tokens + replied)} tokens` : ''];
    setText(byId('facts'), facts.filter(Boolean).join(' · '));
    document.title = `${state.live && state.questions.length > 0 ? '(!) ' : ''}${phase.text} – Eyehand`;

    const controls = state.live && !state.outcome;
    byId('controls').hidden = !controls;
    setText(byId('pause-label'), state.paused ? 'Resume' : 'Pause');
    setText(byId('stop-label'), state.stopping ? 'Stop now' : 'Stop');
    byId('tell').hidden = !controls;
    const box = byId('inject');
    box.hidden = !controls || !state.takes_replies;
    box.classList.toggle('wanted', Boolean(state.for_reply));
    setText(byId('inject-hint'), state.for_reply ? 'The run waits for its first reply: give it here.' :
        'It goes into the run instead of the model’s next reply.');

    const { outcome } = state;
    const ended = byId('outcome');
    ended.hidden = !outcome;
    if (outcome) {
        ended.dataset.kind = outcome.outcome === 'completed' ? 'good' : 'error';
        setText(byId('outcome-name'), outcomeWords[outcome.outcome] ?? outcome.outcome);
        setText(byId('outcome-why'), outcome.why ?? '');
        setText(byId('outcome-facts'), [`${count(outcome.turns)} turns`, duration(outcome.elapsed_ms)].filter(Boolean).join(', '));
    }
    setNotice(byId('error-notice'), state.error && !(outcome && outcome.why === state.error) ? state.error : '');
}

function showMind(state) {
    const { plan, brief, memory } = state;
    const entries = [];
    if (brief) entries.push(['Brief', brief]);
    if (plan) entries.push(['Plan', plan]);
    if (memory && memory.active + memory.archived > 0)
        entries.push(['Memory', `${memory.active} active, ${memory.archived} archived`]);
    if (entries.length > 0 && state.mode_phase) entries.unshift(['Phase', state.mode_phase]);
    byId('mind').hidden = entries.length === 0;
    onChange(byId('mind-list'), entries, () => byId('mind-list').replaceChildren(...entries.map(([name, text]) =>
        element('div', {}, element('dt', {}, name), element('dd', {}, text)))));
}

/** The latest of which there is something to see; a turn that has just begun has nothing yet. */
function latestTurn(state) {
    const latest = Math.max(...run.turns.keys(), 0);
    return state.text !== '' || state.reasoning !== '' ? Math.max(latest, state.turn) : latest;
}

function draw() {
    const { state } = run;
    const latest = latestTurn(state);
    if (chosen !== null && !run.turns.has(chosen)) chosen = null;
    const number = chosen ?? latest;
    const current = number === latest;
    const turn = run.turns.get(number) ?? null;
    const turns = turnsOf(run);
    const pending = current && Boolean(state.wanted);

    showHead(state);
    questions.show(state.run, state.outcome ? [] : state.questions);
    showMind(state);

    const picture = current ? state.picture ?? pictureOf(run, number) : pictureOf(run, number);
    const marks = targetsOf(run, number, current);
    const title = picture && picture.turn !== number ? `Turn ${number} (picture of turn ${picture.turn})` : `Turn ${number}`;
    stage.show({
        picture,
        pending,
        title: number > 0 ? title : 'The screen',
        live: current && Boolean(state.live) && !state.outcome,
        trail: trailBefore(run, number),
        marks,
        questions: current ? state.questions : [],
        heat: byId('show-heat').checked,
        targets: byId('show-targets').checked,
    });
    const streaming = current && !state.outcome && (state.text !== '' || state.reasoning !== '');
    showTurn(turn, { number, words: state.text, reasoning: state.reasoning, streaming });
    showTurnList(turns, number, choose);
    setText(byId('list-facts'), turns.length > 0 ? `${turns.length}` : '');
    byId('cost').hidden = turns.length === 0;
    showChart(byId('chart'), byId('table'), turns, number);

    const shown = turns.map((each) => each.turn);
    byId('previous').disabled = !shown.some((each) => each < number);
    byId('next').disabled = !shown.some((each) => each > number);
    byId('latest').disabled = chosen === null;
}

/** Null, and the latest turn itself: whatever comes is followed. */
function choose(number) {
    chosen = number === null || number === latestTurn(run.state) ? null : number;
    drawSoon();
}

function chooseBeside(step) {
    if (run.state === null) return;
    const shown = turnsOf(run).map((turn) => turn.turn);
    const number = chosen ?? latestTurn(run.state);
    const beside = step < 0 ? shown.filter((each) => each < number).pop() : shown.find((each) => each > number);
    if (beside !== undefined) choose(beside);
}

// ---- news ---------------------------------------------------------------------------------------

/** What somebody who does not see the page should hear; not every turn. */
function tellNews(before, state) {
    if (before === null || before.run !== state.run) return;
    if (state.outcome && !before.outcome) announce(`The run has ended: ${outcomeWords[state.outcome.outcome] ?? state.outcome.outcome}. ${state.outcome.why ?? ''}`);
    else if (state.held && !before.held && state.questions.length === 0) announce('The run is paused.');
    else if (!state.paused && before.paused) announce('The run goes on.');
    else if (state.for_reply && !before.for_reply) announce('The run waits for its first reply.');
}

/** Another run may have another profile. */
async function startOver(name) {
    chosen = null;
    annotator?.stop();
    annotator = null;
    config = await configuration();
    if (run.state.run !== name) return; // the one after it does the same
    stage.use(config);
    annotator = newAnnotator();
    annotator.see(run.state);
    drawSoon();
}

function onState(state) {
    const before = run.state;
    const next = withState(run, state);
    if (next === null) {
        connection.refresh().catch(() => {});
        return;
    }
    if (next === run) return;
    run = next;
    if (before !== null && before.run !== state.run) startOver(state.run);
    tellNews(before, state);
    annotator?.see(run.state);
    drawSoon();
}

const connection = new Connection({
    onState,
    onDelta: (delta) => {
        run = withDelta(run, delta);
        drawSoon();
    },
    onLink: (link) => {
        const notices = {
            lost: 'The connection is lost: what you see is the last that came. Trying again…',
            polling: 'Live events do not arrive: this page asks every two seconds.',
            refused: 'This address is valid no longer. Open the one that the program has printed.',
        };
        const ended = Boolean(run.state?.outcome); // that was announced; nobody waits for more
        const gone = ended && (link === 'lost' || link === 'refused');
        const notice = gone ? 'The program has ended; what you see is the last that came.' : notices[link] ?? '';
        setNotice(byId('link-notice'), notice);
        if (notice !== '' && !ended) announce(notice);
    },
});

// ---- what the user does -------------------------------------------------------------------------

function send(path, body = {}) {
    return post(path, { run: run.state?.run, ...body });
}

async function control(path, body) {
    if (run.state === null || byId('controls').hidden) return;
    const answer = await send(path, body);
    setNotice(byId('post-notice'), answer.ok || answer.status === 409 ? '' : `It was not taken: ${answer.error}.`);
}

const pauseOrResume = () => control(run.state?.paused ? '/resume' : '/pause');
const step = () => control('/step');
const stop = () => control('/stop', run.state?.stopping ? { now: true } : {});

byId('pause').addEventListener('click', pauseOrResume);
byId('step').addEventListener('click', step);
byId('stop').addEventListener('click', stop);
byId('previous').addEventListener('click', () => chooseBeside(-1));
byId('next').addEventListener('click', () => chooseBeside(1));
byId('latest').addEventListener('click', () => choose(null));
for (const id of ['show-heat', 'show-targets']) byId(id).addEventListener('change', drawSoon);
document.addEventListener('visibilitychange', () => {
    drawing = false; // a frame that was asked for before may never come
    drawSoon();
});

/** A box whose text is posted; Enter sends it. */
function textForm(name, path, member, taken) {
    const form = byId(`${name}-form`);
    const box = byId(`${name}-text`);
    const told = byId(`${name}-told`);
    const reasons = {
        0: 'Not sent: the program does not answer.',
        409: 'Not taken: there is one already, or nothing takes it now.',
        413: 'Not taken: it is too long.',
    };
    form.addEventListener('submit', async (event) => {
        event.preventDefault();
        const text = box.value;
        if (text.trim() === '') return;
        const answer = await send(path, { [member]: text });
        if (answer.ok && box.value === text) box.value = '';
        const said = answer.ok ? taken : reasons[answer.status] ?? `Not taken: ${answer.error}.`;
        setText(told, said);
        announce(said);
    });
    box.addEventListener('keydown', (event) => {
        if (event.key === 'Escape') box.blur();
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        form.requestSubmit();
    });
}
textForm('tell', '/tell', 'text', 'Told. The model hears it with its next request.');
textForm('inject', '/inject', 'vlm_text', 'Taken.');

const focusIfShown = (section, box) => {
    if (!byId(section).hidden) byId(box).focus();
};
listenToKeys({
    p: pauseOrResume,
    s: step,
    X: stop,
    '/': () => focusIfShown('tell', 'tell-text'),
    i: () => focusIfShown('inject', 'inject-text'),
    q: () => questions.focusFirst(),
    '[': () => chooseBeside(-1),
    ']': () => chooseBeside(1),
    l: () => choose(null),
});

connection.open();
