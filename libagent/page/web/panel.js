// The page of the panel: shows a live run and its controls.
import { openAccess, request, setUrlTokens, withUrlToken } from './access.js';
import { Annotator, canvasOf } from './annotate.js';
import { Connection, post } from './connection.js';
import { byId, setNotice, setText } from './element.js';
import { listenToKeys } from './keys.js';
import { RunPage, announce, outcomeWords } from './page.js';
import { ServedScreenshots } from './screenshots.js';
import { ServedTexts } from './served_texts.js';
import { ApprovalCards } from './approval_cards.js';
import { withDelta, withState } from './run.js';

const refused = 'This address gives no access. Open the complete address that the program printed.';

/**
 * The JSON of /config, from a server that answers and gives access. `onProblem` receives a sentence. After the first time, the
 * connection reports problems.
 */
async function configuration(onProblem = () => {}) {
    for (;;) {
        try {
            const answer = await request('/config');
            if (answer.ok) {
                const loaded = await answer.json();
                setUrlTokens(loaded.url_tokens);
                return loaded;
            }
            if (answer.status === 403) {
                onProblem(refused);
                return await new Promise(() => {}); // opening the printed address reloads the page
            }
        } catch {
            // The program may return.
        }
        onProblem('The program does not respond. Retrying…');
        await new Promise((resolve) => { setTimeout(resolve, 1000); });
    }
}

openAccess();
let config = await configuration((problem) => setNotice(byId('link-notice'), problem));
setNotice(byId('link-notice'), '');

// ---- controls of a live run -----------------------------------------------------------------------

const newAnnotator = () => new Annotator(config, (problem) => setNotice(byId('draw-notice'), problem));
let annotator = newAnnotator(); // null while the configuration of another run is loading
const approvalCards = new ApprovalCards(
    (question, granted, why) => send('/decide', { id: question.id, granted, ...(why ? { why } : {}) }),
    announce);

function showControls(state) {
    approvalCards.show(state.run, state.outcome ? [] : state.questions);
    const controls = state.live && !state.outcome;
    byId('controls').hidden = !controls;
    setText(byId('pause-label'), state.paused ? 'Resume' : 'Pause');
    setText(byId('stop-label'), state.stopping ? 'Stop now' : 'Stop');
    byId('tell').hidden = !controls;
    const box = byId('inject');
    box.hidden = !controls || !state.takes_replies;
    box.classList.toggle('wanted', Boolean(state.for_reply));
    setText(byId('inject-hint'), state.for_reply ? 'The run waits for its first reply. Enter it here.' :
        'The run uses this text instead of the model’s next reply.');
}

const page = new RunPage({
    config,
    pictures: new ServedScreenshots(canvasOf, (url) => withUrlToken(url, 'pictures')),
    texts: new ServedTexts(() => page.run.state?.run ?? ''),
    onDraw: showControls,
});

// ---- updates ------------------------------------------------------------------------------------

/** Announces important changes to screen readers; not every turn. */
function tellNews(before, state) {
    if (before === null || before.run !== state.run) return;
    if (state.outcome && !before.outcome) announce(`The run has ended: ${outcomeWords[state.outcome.outcome] ?? state.outcome.outcome}. ${state.outcome.why ?? ''}`);
    else if (state.held && !before.held && state.questions.length === 0) announce(state.taken_over ? 'The run is paused: the mouse or the keyboard was used.' : 'The run is paused.');
    else if (!state.paused && before.paused) announce('The run continues.');
    else if (state.for_reply && !before.for_reply) announce('The run waits for its first reply.');
}

/** Loads the configuration of another run, which may have another profile. */
async function startOver(name) {
    page.startOver();
    annotator?.stop();
    annotator = null;
    for (const id of ['tell-told', 'inject-told']) setText(byId(id), '');
    setNotice(byId('post-notice'), '');
    config = await configuration();
    if (page.run.state.run !== name) return; // yet another run has started and does the same
    page.use(config);
    annotator = newAnnotator();
    annotator.see(page.run.state);
    completeConfig();
}

let configuredRun = config.run; // the run whose configuration is loaded, or is being loaded
let asking = false; // a request for the rest of the configuration is in progress

/** Loads the settings again: run.json, which contains them, is written just before the first event. */
async function completeConfig() {
    if (asking || config.version !== undefined || !page.run.state.task) return;
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
    if (configuredRun !== state.run) {
        configuredRun = state.run;
        startOver(state.run);
    } else {
        completeConfig();
    }
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
            lost: 'Connection lost. The page shows the last known state. Reconnecting…',
            polling: 'Live updates are not available. The page polls every two seconds.',
            refused,
        };
        const ended = Boolean(page.run.state?.outcome); // already announced
        const gone = ended && (link === 'lost' || link === 'refused');
        const notice = gone ? 'The program has ended. The page shows the last known state.' : notices[link] ?? '';
        setNotice(byId('link-notice'), notice);
        if (notice !== '' && !ended) announce(notice);
    },
});

// ---- user input ------------------------------------------------------------------------

function send(path, body = {}) {
    return post(path, { run: page.run.state?.run, ...body });
}

async function control(path, body) {
    if (page.run.state === null || byId('controls').hidden) return;
    const answer = await send(path, body);
    setNotice(byId('post-notice'), answer.ok || answer.status === 409 ? '' : `The command failed: ${answer.error}.`);
}

const pauseOrResume = () => control(page.run.state?.paused ? '/resume' : '/pause');
const step = () => control('/step');
const stop = () => control('/stop', page.run.state?.stopping ? { now: true } : {});

byId('pause').addEventListener('click', pauseOrResume);
byId('step').addEventListener('click', step);
byId('stop').addEventListener('click', stop);

/** Connects a form that posts its text; Enter sends it. */
function textForm(name, path, member, taken) {
    const form = byId(`${name}-form`);
    const box = byId(`${name}-text`);
    const told = byId(`${name}-told`);
    const reasons = {
        0: 'Not sent: the program does not respond.',
        409: 'Not accepted: one is already pending, or the run does not accept it now.',
        413: 'Not accepted: the text is too long.',
    };
    form.addEventListener('submit', async (event) => {
        event.preventDefault();
        const text = box.value;
        if (text.trim() === '') return;
        const answer = await send(path, { [member]: text });
        if (answer.ok && box.value === text) box.value = '';
        const said = answer.ok ? taken : reasons[answer.status] ?? `Not accepted: ${answer.error}.`;
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
textForm('tell', '/tell', 'text', 'Sent. The model receives the message with its next request.');
textForm('inject', '/inject', 'vlm_text', 'Accepted.');

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
    q: () => approvalCards.focusFirst(),
});

connection.open();
