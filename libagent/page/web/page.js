// The page of a run, live or in a report: its header, the selected turn, the list of turns, and the facts of the run.
// Data of the run is inserted only as text (element.js).
import { showCalibration } from './calibration.js';
import { showChart } from './chart.js';
import { byId, element, onChange, setNotice, setText } from './element.js';
import { escapeInvisible } from './invisible.js';
import { afterOf, count, counted, duration, emptyRun, hasFailed, seenOf, showsOnlyEffectOf, targetsOf, trailBefore, turnsOf } from './run.js';
import { Stage } from './stage.js';
import { nameOf, showTurn, showTurnList } from './turns.js';

const phaseWords = {
    idle: 'not started',
    waiting_inject: 'waiting for a reply',
    executing: 'acting',
    capturing: 'taking a screenshot',
    waiting_annotated: 'waiting for the annotation',
    calling_model: 'asking the model',
    paused: 'paused',
    finished: 'finished',
    interrupted: 'interrupted',
    unfinished: 'not finished',
    following: 'running in another process',
};
export const outcomeWords = {
    completed: 'Completed',
    failed: 'Failed',
    steps_used_up: 'Limit reached',
    endpoint_failed: 'Endpoint failed',
    desktop_failed: 'Desktop failed',
    refused: 'Refused',
    cancelled: 'Stopped',
};
const longTask = 48; // characters; longer tasks are shown in full below

/** The phase of the run as a label, such as "asking the model (pausing)". */
function phaseOf(state) {
    if (state.outcome) return { text: 'finished', kind: state.outcome.outcome === 'completed' ? 'good' : 'bad' };
    if (state.questions.length > 0) return { text: 'waiting for approval', kind: 'wait' };
    if (state.held) return { text: state.taken_over ? 'paused: mouse or keyboard was used' : 'paused', kind: 'wait' };
    const phase = phaseWords[state.phase] ?? state.phase;
    const words = state.progress ? `${phase}: ${escapeInvisible(state.progress)}` : phase;
    if (state.stopping) return { text: `${words} (stopping)`, kind: 'wait' };
    if (state.paused) return { text: `${words} (pausing)`, kind: 'wait' };
    const waits = ['waiting_inject', 'paused', 'idle', 'interrupted', 'unfinished'].includes(state.phase);
    return { text: words, kind: waits ? 'wait' : 'busy' };
}

let announcing = null;

/** Clears the text first, so that screen readers announce the same text again. */
export function announce(text) {
    setText(byId('announce'), '');
    clearTimeout(announcing);
    announcing = setTimeout(() => setText(byId('announce'), text));
}

function turnInAddress() {
    const wanted = /^#turn-(\d+)$/.exec(location.hash);
    return wanted ? Number(wanted[1]) : null;
}

export class RunPage {
    run = emptyRun();
    #config;
    #stage;
    #frozen;
    #remarks;
    #chosen = null; // the selected turn; null: follows the latest one
    #shown = 0; // the number of the shown turn
    #drawing = false;
    #context; // of the requests
    #onDraw;

    /**
     * `config`: the JSON of /config. `pictures`: see Stage. `texts`: the source of the texts of requests. `frozen`: the page shows a report, beginning with the first turn.
     * `remarks`: sentences for the top of the page. `onDraw(state)` is called after each drawing.
     */
    constructor({ config, pictures, texts, frozen = false, remarks = [], onDraw = () => {} }) {
        this.#config = config;
        this.#stage = new Stage(config, pictures);
        this.#frozen = frozen;
        this.#remarks = remarks;
        this.#context = { run: () => this.run, texts };
        this.#onDraw = onDraw;
        byId('previous').addEventListener('click', () => this.chooseBeside(-1));
        byId('next').addEventListener('click', () => this.chooseBeside(1));
        byId('latest').addEventListener('click', () => this.choose(null));
        byId('only-failures').checked = false; // browsers restore the state of checkboxes
        byId('only-failures').addEventListener('change', () => this.#filter());
        for (const id of ['show-heat', 'show-targets', 'show-changes'])
            byId(id).addEventListener('change', () => this.drawSoon());
        document.addEventListener('visibilitychange', () => {
            this.#drawing = false; // a requested frame may never come
            this.drawSoon();
        });
        addEventListener('hashchange', () => {
            const turn = turnInAddress();
            if (this.run.turns.has(turn) && turn !== this.#shown) this.choose(turn);
        });
    }

    /** Keyboard actions for listenToKeys. */
    keys() {
        const before = () => this.chooseBeside(-1);
        const after = () => this.chooseBeside(1);
        return { '[': before, ']': after, ArrowLeft: before, ArrowRight: after, l: () => this.choose(null) };
    }

    show(run) {
        const isFirst = this.run.state === null;
        this.run = run;
        if (!isFirst) return this.drawSoon();
        const wanted = turnInAddress();
        if (wanted !== null && run.turns.has(wanted)) this.#chosen = wanted;
        else if (this.#frozen) this.#chosen = turnsOf(run)[0]?.turn ?? null;
        if (this.#frozen) return this.draw();
        return this.drawSoon();
    }

    /** Sets the configuration of another run. */
    use(config) {
        this.#config = config;
        this.#stage.use(config);
        this.drawSoon();
    }
    startOver() {
        this.#chosen = null;
        this.#setAddress();
    }

    /** Selects a turn; null: the latest one. After the latest turn of a live run is selected, new turns are shown. */
    choose(number) {
        if (this.run.state === null) return;
        const isOver = this.#frozen || Boolean(this.run.state.outcome);
        if (number === null) this.#chosen = this.#frozen ? this.#latest() : null;
        else this.#chosen = number === this.#latest() && !isOver ? null : number;
        const inList = byId('turns').contains(document.activeElement);
        this.draw();
        const item = byId('turns').querySelector('[aria-current]');
        if (inList) item?.focus({ preventScroll: true });
        if (item) this.#scrollTo(item.parentElement);
        this.#tell();
    }

    chooseBeside(step) {
        if (this.run.state === null) return;
        const shown = this.#listed();
        const beside = step < 0 ? shown.filter((turn) => turn.turn < this.#shown).pop()
            : shown.find((turn) => turn.turn > this.#shown);
        if (beside !== undefined) this.choose(beside.turn);
    }

    drawSoon() {
        if (this.#drawing) return;
        this.#drawing = true;
        // A hidden tab gets no frames, but users notice its title and announcements.
        const soon = document.hidden ? setTimeout : requestAnimationFrame;
        soon(() => {
            this.#drawing = false;
            if (this.run.state !== null) this.draw();
        });
    }

    draw() {
        const { run } = this;
        const { state } = run;
        const latest = this.#latest();
        if (this.#chosen !== null && !run.turns.has(this.#chosen)) this.#chosen = null;
        const number = this.#chosen ?? latest;
        this.#shown = number;
        const current = number === latest;
        const live = current && Boolean(state.live) && !state.outcome;
        const turn = run.turns.get(number) ?? null;
        const turns = turnsOf(run);

        this.#showHead(state);
        this.#showMind(state);
        this.#showAbout(state, turns);

        const follows = this.#chosen === null; // shows the latest screenshot
        const picture = (follows ? state.picture : null) ?? seenOf(run, number);
        const after = follows ? null : afterOf(run, number);
        const title = picture && picture.turn !== number ? `Turn ${number} (screenshot of turn ${picture.turn})` : `Turn ${number}`;
        this.#stage.show({
            picture,
            after,
            direct: showsOnlyEffectOf(run, number, picture, after),
            pending: current && Boolean(state.wanted),
            title: number > 0 ? title : 'Screen',
            live,
            trail: trailBefore(run, number),
            marks: targetsOf(run, number, current),
            questions: current ? state.questions : [],
            heat: byId('show-heat').checked,
            targets: byId('show-targets').checked,
            unseen: turn !== null && turn.requests > 0 && !turn.seen_by_model && turn.seen?.n === picture?.n,
        });
        const streaming = current && !state.outcome && (state.text !== '' || state.reasoning !== '');
        showTurn(turn, {
            number, words: state.text, reasoning: state.reasoning, streaming, phases: this.#config.phases ?? {},
            isOver: this.#frozen || Boolean(state.outcome) || state.phase === 'interrupted',
            context: this.#context,
        });
        showTurnList(this.#frozen ? turns : [...turns].reverse(), {
            shownTurn: number, choose: (chosen) => this.choose(chosen), onlyFailures: byId('only-failures').checked,
        });
        byId('turns').reversed = !this.#frozen;
        this.#showFilter(turns);
        byId('cost').hidden = turns.length === 0;
        showChart(byId('chart'), byId('table'), turns, number);

        const listed = this.#listed();
        byId('previous').disabled = !listed.some((each) => each.turn < number);
        byId('next').disabled = !listed.some((each) => each.turn > number);
        byId('latest').disabled = this.#chosen === null || (this.#frozen && current);
        this.#onDraw(state);
    }

    /** Scrolls only the list: scrolling the page would move the screenshot out of view. */
    #scrollTo(item) {
        const list = byId('turns');
        if (list.scrollHeight <= list.clientHeight) return;
        const top = item.offsetTop - list.offsetTop;
        if (top < list.scrollTop) list.scrollTop = top;
        else if (top + item.offsetHeight > list.scrollTop + list.clientHeight)
            list.scrollTop = top + item.offsetHeight - list.clientHeight;
    }

    // ---- the shown turn ---------------------------------------------------------------------------------

    /** The latest turn with content; a turn without events counts once its reply streams in. */
    #latest() {
        const { state, turns } = this.run;
        const latest = Math.max(...turns.keys(), 0);
        return state.text !== '' || state.reasoning !== '' ? Math.max(latest, state.turn) : latest;
    }

    /** The visible turns of the list. */
    #listed() {
        return turnsOf(this.run).filter((turn) => !byId('only-failures').checked || hasFailed(turn));
    }

    #filter() {
        const listed = this.#listed();
        if (listed.length === 0 || listed.some((turn) => turn.turn === this.#shown)) return this.draw();
        return this.choose((listed.find((turn) => turn.turn > this.#shown) ?? listed[listed.length - 1]).turn);
    }

    /** Updates the address, and announces the selection to screen readers. */
    #tell() {
        const turn = this.run.turns.get(this.#shown);
        if (turn) {
            const numbers = turnsOf(this.run).map((each) => each.turn);
            announce(`${nameOf(turn)}. ${numbers.indexOf(turn.turn) + 1} of ${numbers.length}.`);
        }
        this.#setAddress();
    }

    #setAddress() {
        try {
            const place = this.#frozen || this.#chosen !== null ? `#turn-${this.#shown}` : location.pathname + location.search;
            history.replaceState(null, '', place);
        } catch { /* not available in some viewers */ }
    }

    // ---- parts of the page --------------------------------------------------------------------------------

    #showHead(state) {
        const phase = phaseOf(state);
        setText(byId('phase'), phase.text);
        byId('phase').dataset.kind = phase.kind;
        setText(byId('task'), state.task || 'Eyehand');
        byId('task').title = escapeInvisible(state.task ?? '');
        const prompt = state.tokens?.prompt ?? state.outcome?.prompt_tokens ?? 0;
        const completion = state.tokens?.completion ?? state.outcome?.completion_tokens ?? 0;
        const facts = [state.profile, state.role !== state.profile ? state.role : '', state.model,
            state.turn > 0 ? `turn ${state.turn}` : '', prompt + completion > 0 ? `${count(prompt + completion)} tokens` : ''];
        setText(byId('facts'), facts.filter(Boolean).join(' · '));
        if (!this.#frozen) document.title = escapeInvisible(`${state.live && state.questions.length > 0 ? '(!) ' : ''}${phase.text} – Eyehand`);

        const { outcome } = state;
        const ended = byId('outcome');
        ended.hidden = !outcome;
        if (outcome) {
            ended.dataset.kind = outcome.outcome === 'completed' ? 'good' : 'error';
            setText(byId('outcome-name'), outcomeWords[outcome.outcome] ?? outcome.outcome);
            setText(byId('outcome-why'), outcome.why ?? '');
            setText(byId('outcome-facts'), [counted(outcome.turns, 'turn'), duration(outcome.elapsed_ms)].filter(Boolean).join(', '));
        }
        setNotice(byId('error-notice'), state.error && !(outcome && outcome.why === state.error) ? state.error : '');
    }

    #showMind(state) {
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

    #showAbout(state, turns) {
        const { version, max_turns: maxTurns, settings = [], verification } = this.#config;
        const failures = turns.filter(hasFailed).length;
        const tokens = state.tokens ?? {};
        const known = (value) => value !== null && value !== undefined;
        const facts = [
            ['Profile', state.profile], ['Model', state.model],
            ['Turns', `${count(state.outcome?.turns ?? state.turn)}${maxTurns ? ` of at most ${count(maxTurns)}` : ''}`],
            ['Failures', failures === 0 ? 'none' : `in ${counted(failures, 'turn')}`],
            ['Time', duration(state.outcome?.elapsed_ms ?? state.elapsed_ms)],
            ['Tokens in', known(tokens.prompt) ? count(tokens.prompt) : ''],
            ['Tokens in, cached', known(tokens.cached) ? count(tokens.cached) : ''],
            ['Tokens out', known(tokens.completion) ? count(tokens.completion) : ''],
            ['Guard', settings.find(({ name }) => name === 'guard')?.value],
            ['Verification', verification],
            ['Eyehand', version],
        ].filter(([, value]) => value);
        onChange(byId('about-facts'), facts, () => byId('about-facts').replaceChildren(...facts.map(([name, value]) =>
            element('div', {}, element('dt', {}, name), element('dd', {}, String(value))))));
        onChange(byId('remarks'), this.#remarks, () => byId('remarks').replaceChildren(...this.#remarks.map((remark) =>
            element('p', { class: 'notice', 'data-kind': 'warning' }, remark))));
        onChange(byId('settings'), settings, () => byId('settings').querySelector('tbody').replaceChildren(
            ...settings.map(({ name, value, source }) => element('tr', {},
                element('td', {}, name), element('td', {}, value), element('td', {}, source)))));
        byId('settings').hidden = settings.length === 0;
        showCalibration(this.#config.calibration ?? null);
        const task = state.task ?? '';
        byId('whole-task').hidden = task.length <= longTask && !task.includes('\n');
        setText(byId('whole-task-text'), task);
        byId('about').hidden = !state.run;
    }

    #showFilter(turns) {
        const failures = turns.filter(hasFailed).length;
        setText(byId('list-facts'), turns.length > 0 ? count(turns.length) : '');
        setText(byId('only-failures-label'), failures === 0 ? 'Failures only (0)' : `Failures only (${count(failures)})`);
        byId('only-failures').disabled = failures === 0;
        byId('failures').hidden = turns.length === 0;
    }
}
