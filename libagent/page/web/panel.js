// The panel's page: shows a run as it happens and holds its controls.
import { Annotator, canvasOf } from './annotate.js';
import { Connection, post } from './connection.js';
import { byId, setNotice, setText } from './element.js';
import { listenToKeys } from './keys.js';
import { RunPage, announce, outcomeWords } from './page.js';
import { ServedPictures } from './pictures.js';
import { Questions } from './questions.js';
import { withDelta, withState } from './run.js';

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

// ---- what only a run under way has ----------------------------------------------------------------

const newAnnotator = () => new Annotator(config, (problem) => setNotice(byId('draw-notice'), problem));
let annotator = newAnnotator(); // null while another run's settings are asked for
const questions = new Questions(
    (question, granted, why) => send('/decide', { id: question.id, granted, ...(why ? { why } : {}) }),
    announce);

function showControls(state) {
    questions.show(state.run, state.outcome ? [] : state.questions);
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
}

const page = new RunPage({ config, pictures: new ServedPictures(canvasOf), onDraw: showControls });

// ---- news ---------------------------------------------------------------------------------------

/** Announces what users of screen readers should hear; not every turn. */
function tellNews(before, state) {
    if (before === null || before.run !== state.run) return;
    if (state.outcome && !before.outcome) announce(`The run has ended: ${outcomeWords[state.outcome.outcome] ?? state.outcome.outcome}. ${state.outcome.why ?? ''}`);
    else if (state.held && !before.held && state.questions.length === 0) announce('The run is paused.');
    else if (!state.paused && before.paused) announce('The run goes on.');
    else if (state.for_reply && !before.for_reply) announce('The run waits for its first reply.');
}

/** Another run may have another profile. */
async function startOver(name) {
    page.startOver();
    annotator?.stop();
    annotator = null;
    config = await configuration();
    if (page.run.state.run !== name) return; // the one after it does the same
    page.use(config);
    annotator = newAnnotator();
    annotator.see(page.run.state);
}

let asking = false; // for a configuration

/** run.json, which has the settings, is written just before the first event. */
async function completeConfig() {
    if (asking || config.version !== undefined || page.run.turns.size === 0) return;
    asking = true;
    const name = page.run.state.run;
    const whole = await configuration();
    asking = false;
    if (page.run.state.run !== name) return;
    config = whole;
    config.version ??= '';
    page.use(config);
}

function onState(state) {
    const before = page.run.state;
    const next = withState(page.run, state);
    if (next === null) {
        connection.refresh().catch(() => {});
        return;
    }
    if (next === page.run) return;
    page.show(next);
    if (before !== null && before.run !== state.run) startOver(state.run);
    else completeConfig();
    tellNews(before, state);
    annotator?.see(state);
}

const connection = new Connection({
    onState,
    onDelta: (delta) => {
        if (page.run.state !== null) page.show(withDelta(page.run, delta));
    },
    onLink: (link) => {
        const notices = {
            lost: 'The connection is lost: what you see is the last that came. Trying again…',
            polling: 'Live events do not arrive: this page asks every two seconds.',
            refused: 'This address is valid no longer. Open the one that the program has printed.',
        };
        const ended = Boolean(page.run.state?.outcome); // that was announced
        const gone = ended && (link === 'lost' || link === 'refused');
        const notice = gone ? 'The program has ended; what you see is the last that came.' : notices[link] ?? '';
        setNotice(byId('link-notice'), notice);
        if (notice !== '' && !ended) announce(notice);
    },
});

// ---- what the user does -------------------------------------------------------------------------

function send(path, body = {}) {
    return post(path, { run: page.run.state?.run, ...body });
}

async function control(path, body) {
    if (page.run.state === null || byId('controls').hidden) return;
    const answer = await send(path, body);
    setNotice(byId('post-notice'), answer.ok || answer.status === 409 ? '' : `It was not taken: ${answer.error}.`);
}

const pauseOrResume = () => control(page.run.state?.paused ? '/resume' : '/pause');
const step = () => control('/step');
const stop = () => control('/stop', page.run.state?.stopping ? { now: true } : {});

byId('pause').addEventListener('click', pauseOrResume);
byId('step').addEventListener('click', step);
byId('stop').addEventListener('click', stop);

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
    ...page.keys(),
    p: pauseOrResume,
    s: step,
    X: stop,
    '/': () => focusIfShown('tell', 'tell-text'),
    i: () => focusIfShown('inject', 'inject-text'),
    q: () => questions.focusFirst(),
});

connection.open();
