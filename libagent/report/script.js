// Builds the report from the JSON blocks of the page. Whatever a model, a window or a tool said only ever
// becomes a text node: nothing here parses HTML.
'use strict';
(() => {
    const byId = (id) => document.getElementById(id);
    const [run, pictures, images] = ['run', 'pictures', 'images'].map((id) => JSON.parse(byId(id).textContent));
    const turns = run.turns;
    const svgNamespace = 'http://www.w3.org/2000/svg';

    // --- making elements ---------------------------------------------------------------------------------

    /** An element with a class and children: elements, or texts that stay texts. */
    function make(name, className, ...children) {
        const element = document.createElement(name);
        if (className) element.className = className;
        element.append(...children.filter((it) => it !== null && it !== undefined && it !== ''));
        return element;
    }
    function drawn(name, attributes, ...children) {
        const element = document.createElementNS(svgNamespace, name);
        for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
        element.append(...children);
        return element;
    }
    function folded(title, content) {
        return make('details', '', make('summary', '', title), content);
    }
    const has = (value) => value !== undefined && value !== null;

    // --- words for numbers -------------------------------------------------------------------------------

    function duration(ms) {
        if (ms < 1) return `${ms.toFixed(2)} ms`;
        if (ms < 10) return `${ms.toFixed(1)} ms`;
        if (ms < 1000) return `${Math.round(ms)} ms`;
        if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
        const seconds = Math.round(ms / 1000);
        return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
    }
    const count = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;
    const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f');

    // --- what a turn comes to ----------------------------------------------------------------------------

    function failed(item) {
        switch (item.kind) {
        case 'call': return item.ok === false;
        case 'recovery': return item.ok === false;
        case 'no_reply':
        case 'no_picture': return true;
        default: return false;
        }
    }
    const timeNames = [['settle_ms', 'settle'], ['capture_ms', 'capture'], ['scale_ms', 'scale'],
        ['encode_ms', 'encode'], ['annotate_ms', 'annotate'], ['wait_ms', 'first token'],
        ['model_ms', 'model, in all'], ['policy_ms', 'policy'], ['act_ms', 'act']];

    function timesOf(turn) {
        const times = {};
        for (const source of [turn.look ?? {}, ...turn.items])
            for (const [key] of timeNames)
                if (typeof source[key] === 'number') times[key] = (times[key] ?? 0) + source[key];
        return times;
    }
    /** Regions come in bands of some rows: those that stand on one another become one. */
    function joined(rects = []) {
        const near = (a, b) => Math.abs(a - b) < 1e-6;
        const all = [];
        for (const [x, y, width, height] of rects) {
            const above = all.find((it) => near(it[0], x) && near(it[2], width) && near(it[1] + it[3], y));
            if (above) above[3] = y + height - above[1];
            else all.push([x, y, width, height]);
        }
        return all;
    }
    for (const [index, turn] of turns.entries()) {
        turn.changed = joined(turn.changed);
        turn.after_changed = joined(turn.after_changed);
        turn.index = index;
        turn.failed = turn.items.some(failed);
        turn.times = timesOf(turn);
        // The first token is a part of what the model took.
        turn.total = timeNames.reduce((sum, [key]) => sum + (key === 'wait_ms' ? 0 : turn.times[key] ?? 0), 0);
        turn.calls = turn.items.filter((it) => it.kind === 'call').map((it) => it.tool ?? '?');
    }
    const failures = turns.filter((it) => it.failed).length;

    function nameOf(turn) {
        const done = turn.calls.length > 0 ? turn.calls.join(', ') : 'no call';
        return `Turn ${turn.number}: ${done}${turn.failed ? ', failed' : ''}, ${duration(turn.total)}`;
    }

    // --- summary -----------------------------------------------------------------------------------------

    const outcomes = { completed: 'completed', failed: 'failed', steps_used_up: 'steps used up',
        endpoint_failed: 'endpoint failed', desktop_failed: 'desktop failed', refused: 'refused',
        cancelled: 'cancelled' };

    function showSummary() {
        byId('run-name').textContent = run.run;
        const outcome = byId('outcome');
        outcome.textContent = has(run.outcome) ? outcomes[run.outcome] ?? String(run.outcome) : 'not finished';
        outcome.classList.add(run.outcome === 'completed' ? 'good' : 'bad');
        const task = run.task.length > 300 ? `${run.task.slice(0, 300)} …` : run.task;
        byId('task').textContent = task;
        if (task !== run.task) {
            byId('task-whole').hidden = false;
            byId('task-whole').querySelector('.said').textContent = run.task;
        }
        byId('why').textContent = run.why ?? (has(run.outcome) ? '' :
            'The run was interrupted, or was still going on when this report was made.');
        const facts = [['Profile', run.profile], ['Model', run.model],
            ['Turns', `${turns.length} of at most ${run.max_turns}`],
            ['Failures', failures === 0 ? 'none' : `in ${count(failures, 'turn')}`],
            ['Time', duration(run.elapsed_ms)]];
        for (const [key, name] of [['prompt_tokens', 'Tokens in'], ['cached_tokens', 'of these cached'],
            ['completion_tokens', 'Tokens out']])
            if (has(run[key])) facts.push([name, grouped(run[key])]);
        facts.push(['Eyehand', run.version]);
        for (const [name, value] of facts)
            byId('facts').append(make('div', '', make('dt', '', name), make('dd', '', String(value))));
        const reduced = pictures.filter((it) => it.reduced).length;
        for (const remark of run.remarks) byId('remarks').append(make('p', 'remark', remark));
        if (reduced > 0) {
            const pictured = `${count(reduced, 'picture')} ${reduced === 1 ? 'is' : 'are'}`;
            byId('remarks').append(make('p', 'remark calm', `${pictured} reduced here, so that this file stays small. ` +
                'The originals are in the run directory.'));
        }
        for (const item of run.before) byId('remarks').append(itemElement(item));
        const rows = byId('settings').querySelector('tbody');
        for (const { name, value, source } of run.settings)
            rows.append(make('tr', '', make('td', '', name), make('td', '', value), make('td', '', source)));
        byId('settings').hidden = run.settings.length === 0;
    }

    // --- timeline ----------------------------------------------------------------------------------------

    const buttons = [];

    function showTimeline() {
        const longest = Math.max(1, ...turns.map((it) => it.total));
        for (const turn of turns) {
            const height = make('span', 'height');
            height.style.height = `${Math.max(3, Math.round(Math.sqrt(turn.total / longest) * 36))}px`;
            const button = make('button', turn.failed ? 'failed' : '', height, String(turn.number));
            button.type = 'button';
            button.title = nameOf(turn);
            button.setAttribute('aria-label', nameOf(turn));
            button.addEventListener('click', () => show(turn.index));
            buttons.push(button);
            byId('timeline').append(make('li', '', button));
        }
        const filter = byId('only-failures');
        byId('only-failures-label').textContent =
            failures === 0 ? 'Failures only (there are none)' : `Failures only (${failures})`;
        filter.disabled = failures === 0;
        filter.checked = false; // browsers remember
        filter.addEventListener('change', () => {
            for (const turn of turns) buttons[turn.index].parentElement.hidden = filter.checked && !turn.failed;
            const there = shownTurns();
            if (!there.includes(turns[current])) show((there.find((it) => it.index > current) ?? there.at(-1)).index);
            else showSteps();
        });
    }
    const shownTurns = () => turns.filter((it) => !byId('only-failures').checked || it.failed);

    // --- pictures ----------------------------------------------------------------------------------------

    const loading = new Map(); // by place in `images`

    function load(index) {
        if (!loading.has(index)) {
            const image = new Image();
            image.src = images[index];
            loading.set(index, image.decode().then(() => image));
            if (loading.size > 40) loading.delete(loading.keys().next().value);
        }
        return loading.get(index);
    }

    /** Draws a picture's layers and names it in `data-picture`; false when it was not to be. `stillWanted` guards against a later one. */
    async function paint(canvas, picture, stillWanted) {
        try {
            const layers = await Promise.all(picture.layers.map(([index]) => load(index)));
            if (!stillWanted()) return true;
            canvas.width = picture.width;
            canvas.height = picture.height;
            const context = canvas.getContext('2d');
            layers.forEach((image, i) => {
                const [, x, y, width, height] = picture.layers[i];
                context.drawImage(image, x, y, width, height);
            });
            canvas.dataset.picture = picture.file;
            return true;
        } catch {
            return false;
        }
    }

    const percent = (share) => `${(share * 100).toFixed(3)}%`;

    function labelAt([x, y], text, className = '') {
        const label = make('span', `mark-label ${className}`, text);
        if (x > 750) label.classList.add('left');
        if (y > 900) label.classList.add('up');
        label.style.left = percent(x / 1000);
        label.style.top = percent(y / 1000);
        return label;
    }

    let gradients = 0;
    function gradient(stops, opacity) {
        const id = `gradient-${++gradients}`;
        return [id, drawn('radialGradient', { id }, ...stops.map(([offset, colour]) =>
            drawn('stop', { offset, 'stop-color': colour, 'stop-opacity': opacity })))];
    }
    const towards = ([x1, y1], [x2, y2], part) => [x1 + (x2 - x1) * part, y1 + (y2 - y1) * part];

    /** Heat at places, as `annotation.hpp` tells; `trail` is by turns, the latest first. */
    function drawOverlay(into, { trail = [], boxes = [], paths = false }, picture) {
        into.replaceChildren();
        if (!picture || (trail.every((it) => it.length === 0) && boxes.length === 0)) return;
        const { width, height } = picture;
        const svg = drawn('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none' });
        const labels = [];
        const at = ([x, y]) => [x / 1000 * width, y / 1000 * height];
        boxes.forEach(({ x1, y1, x2, y2 }, i) => {
            const [id, fill] = gradient(run.boxes.fill_stops, 1);
            const [left, top] = at([x1, y1]);
            const [right, bottom] = at([x2, y2]);
            svg.append(fill, drawn('rect', { x: left, y: top, width: Math.max(1, right - left),
                height: Math.max(1, bottom - top), fill: `url(#${id})`, stroke: run.boxes.border,
                'stroke-width': run.boxes.border_width }));
            labels.push(labelAt([x1, y1], `#${i + 1} (${[x1, y1, x2, y2].map(Math.round).join(',')})`,
                y1 > 60 ? 'box' : ''));
        });
        const ages = Math.min(trail.length, Math.max(1, run.heat.trail_turns));
        for (let age = ages - 1; age >= 0; --age) {
            const left = run.heat.trail_shrink ** age;
            const radius = run.heat.radius_scale * Math.max(width, height) * left;
            const [id, fill] = gradient(run.heat.stops, 1 - age / Math.max(1, run.heat.trail_turns));
            svg.append(fill);
            for (const { number, points } of trail[age]) {
                const ends = points.length > 1 ? [points[0], points.at(-1)] : [points[0]];
                const middle = ends.length > 1 ? towards(ends[0], ends[1], 0.5) : ends[0];
                if (paths && points.length > 1)
                    svg.append(drawn('polyline', { points: points.map((it) => at(it).join(',')).join(' '),
                        fill: 'none', stroke: 'rgb(255 140 0 / 0.8)', 'stroke-width': Math.max(width, height) / 500 }));
                ends.forEach((end, i) => {
                    const [cx, cy] = at(towards(middle, end, left));
                    svg.append(drawn('circle', { cx, cy, r: radius, fill: `url(#${id})` }));
                    if (age === 0)
                        labels.push(labelAt(end, `${number} ${i > 0 ? '>' : ''}(${end.map(Math.round).join(',')})`));
                });
            }
        }
        into.append(svg, ...labels);
    }

    /** What is drawn over a turn's picture: what the model saw there, else where the turn's actions went. */
    function overlayOf(turn) {
        if (annotated(turn)) return fromAnnotation(turn.annotation);
        return { trail: [turn.marks], paths: true };
    }
    const annotated = (turn) => has(turn.annotation?.trail) || has(turn.annotation?.boxes);
    function fromAnnotation({ trail = [], boxes = [] }) {
        return { boxes, trail: trail.map((marks) => marks.map(({ number, at, to }) =>
            ({ number, points: to ? [at, to] : [at] }))) };
    }

    function drawChanges(into, rects) {
        into.replaceChildren(...rects.map(([x, y, width, height]) => {
            const box = make('div', 'change');
            box.style.left = percent(x);
            box.style.top = percent(y);
            box.style.width = percent(width);
            box.style.height = percent(height);
            return box;
        }));
    }

    let shownPicture = 0; // how often one was asked for

    function showPicture(turn) {
        const mine = ++shownPicture;
        const next = turns[turn.index + 1];
        const afterIndex = turn.after ?? next?.picture;
        const later = has(turn.after)
            ? { changed: turn.after_changed, annotation: turn.after_annotation }
            : { changed: next?.changed, annotation: next?.annotation };
        const before = pictures[turn.picture];
        const after = pictures[afterIndex];
        const beforeThere = before && before.layers.length > 0;
        const afterThere = after && after.layers.length > 0;

        for (const id of ['before', 'after']) delete byId(id).dataset.picture;
        byId('before').hidden = !beforeThere;
        byId('later').hidden = !afterThere;
        byId('no-picture').hidden = Boolean(beforeThere);
        byId('no-picture').textContent = before ? before.problem : 'Nothing had been looked at yet.';
        byId('stage').style.minHeight = beforeThere ? '' : '12rem';
        byId('slider').disabled = !beforeThere || !afterThere;
        byId('slider').value = '0';
        showSlider();
        const stillWanted = () => mine === shownPicture;
        const cannot = (done) => {
            if (done || !stillWanted()) return;
            byId('no-picture').hidden = false;
            byId('no-picture').textContent = 'This picture cannot be shown.';
        };
        if (beforeThere) {
            byId('before').setAttribute('aria-label', `The screen at turn ${turn.number}`);
            paint(byId('before'), before, stillWanted).then(cannot);
        }
        if (afterThere) {
            byId('after').setAttribute('aria-label', `The screen after turn ${turn.number}`);
            paint(byId('after'), after, stillWanted).then(cannot);
        }
        drawOverlay(byId('overlay'), overlayOf(turn), beforeThere ? before : null);
        drawOverlay(byId('after-overlay'),
            has(later.annotation) ? fromAnnotation(later.annotation) : {}, afterThere ? after : null);
        drawChanges(byId('changes'), afterIndex === turn.picture ? [] : later.changed ?? []);
        showSwitches();
        showCaption(turn, before, after, later.changed ?? []);
    }

    function showCaption(turn, before, after, changed) {
        const lines = [];
        if (before) {
            const size = `${before.width}×${before.height}`;
            lines.push(`${turn.look?.file ?? before.file}, ${size}${turn.seen === false
                ? '. The model did not get this picture: it is what the screen looked like.' : ''}`);
        }
        if (before && annotated(turn))
            lines.push(turn.annotation.trail?.some((it) => it.length > 0) || turn.annotation.boxes?.length > 0
                ? 'The overlay is what the model saw over this picture.'
                : 'The model saw this picture without marks: nothing had been done.');
        else if (before && turn.marks.length > 0) lines.push('The overlay is where this turn’s actions went.');
        if (after && after === before) lines.push('The screen was the same afterwards.');
        else if (after) lines.push(`Afterwards ${count(changed.length, 'region')} had changed.`);
        else lines.push('There is no later picture.');
        for (const picture of new Set([before, after]))
            if (picture?.reduced) lines.push(`Reduced here; the original is ${picture.file}.`);
        byId('caption').replaceChildren(...lines.map((it) => make('p', '', it)));
    }

    function showSlider() {
        const value = Number(byId('slider').value);
        byId('later').style.clipPath = `inset(0 0 0 ${100 - value}%)`;
        byId('divider').style.left = `${100 - value}%`;
        byId('divider').hidden = value === 0 || value === 100;
        byId('slider').setAttribute('aria-valuetext', value === 0 ? 'before' : value === 100 ? 'after'
            : `${value} percent after, from the right`);
    }
    function showSwitches() {
        byId('overlay').hidden = byId('after-overlay').hidden = !byId('show-overlay').checked;
        byId('changes').hidden = !byId('show-changes').checked;
    }

    // --- words -------------------------------------------------------------------------------------------

    /** JSON with line breaks where a line would become long. */
    function laidOut(value, indent = '') {
        const short = JSON.stringify(value);
        if (typeof value !== 'object' || value === null || indent.length + short.length <= 48)
            return short;
        const deeper = `${indent}  `;
        const [open, close] = Array.isArray(value) ? '[]' : '{}';
        const members = Array.isArray(value) ? value.map((it) => laidOut(it, deeper))
            : Object.entries(value).map(([key, it]) => `${JSON.stringify(key)}: ${laidOut(it, deeper)}`);
        return `${open}\n${members.map((it) => deeper + it).join(',\n')}\n${indent}${close}`;
    }
    function parsed(text) {
        try {
            return JSON.parse(text);
        } catch {
            return undefined;
        }
    }
    function pretty(text) {
        const value = parsed(text);
        return value === undefined ? text : laidOut(value);
    }
    function code(title, text) {
        const block = make('pre', '', text);
        return text.length > 1200 ? folded(`${title}, ${count(text.length, 'character')}`, block) : block;
    }
    const metaOf = (...parts) => {
        const text = parts.filter(Boolean).join(' · ');
        return text ? make('p', 'meta', text) : null;
    };
    const named = (item, key, word) => (item[key] > 0 ? `${word} ${duration(item[key])}` : '');

    const itemMakers = {
        words(item) {
            const tokens = [has(item.prompt_tokens) ? `${grouped(item.prompt_tokens)} in` : '',
                has(item.cached_tokens) ? `${grouped(item.cached_tokens)} cached` : '',
                has(item.completion_tokens) ? `${grouped(item.completion_tokens)} out` : ''].filter(Boolean);
            const odd = !['stop', 'tool_calls', 'unknown', undefined].includes(item.finish);
            // A visual loop's replies are JSON with a story in them.
            const reply = run.visual_replies ? parsed(item.text) : undefined;
            const story = typeof reply?.observation === 'string' ? reply.observation : undefined;
            return ['Words', [
                item.text ? make('div', 'said', story ?? item.text) : make('p', 'quiet', 'It said nothing.'),
                story === undefined ? null : folded('The whole reply', make('pre', '', laidOut(reply))),
                item.reasoning ? folded('Reasoning', make('div', 'said', item.reasoning)) : null,
                ...(item.notes ?? []).map((it) => make('p', 'quiet', it)),
                metaOf(item.model, tokens.length > 0 ? `tokens: ${tokens.join(', ')}` : '',
                    named(item, 'model_ms', 'took'), odd ? `ended with: ${item.finish}` : ''),
            ]];
        },
        call(item) {
            const state = item.pending ? 'Call that nothing is known of' : item.interrupted ? 'Call, interrupted'
                : item.ok ? 'Call' : 'Call, failed';
            return [state, [
                make('p', 'call-name', item.tool ?? ''),
                item.arguments && item.arguments !== '{}' ? code('Arguments', pretty(item.arguments)) : null,
                item.result ? make('p', 'quiet', item.ok ? 'Result: done' : 'Result: failed') : null,
                item.result ? code('Result', pretty(item.result)) : null,
                item.desktop_failure ? make('p', '', item.desktop_failure) : null,
                metaOf(named(item, 'policy_ms', 'policy'), named(item, 'act_ms', 'act')),
            ]];
        },
        recovery(item) {
            return [item.ok === false ? 'Recovery, failed' : 'Recovery', [make('p', '', item.why ?? ''),
                item.problem ? make('p', '', item.problem) : null,
                item.desktop_failure ? make('p', '', item.desktop_failure) : null,
                metaOf(named(item, 'act_ms', 'act'))]];
        },
        note: (item) => [`Note: ${item.about}`, [make('div', 'said', item.text ?? '')]],
        told: (item) => [item.about === 'reply' ? 'A reply in the model’s place' : 'The user says',
            [make('div', 'said', item.text ?? '')]],
        no_reply: (item) => ['No reply', [make('div', 'said', item.message ?? ''), metaOf(item.error)]],
        no_picture: (item) => ['No picture', [make('div', 'said', item.message ?? ''), metaOf(item.error)]],
        stopped: (item) => ['Stopped', [make('div', 'said', item.why ?? '')]],
        resumed: (item) => ['Resumed here', (item.remarks ?? []).map((it) => make('p', '', it))],
    };

    function itemElement(item) {
        const [title, children] = itemMakers[item.kind](item);
        return make('section', `item ${item.kind}${failed(item) ? ' failed' : ''}`, make('h3', '', title),
            ...children);
    }

    function showTimes(turn) {
        const bar = byId('time-bar');
        const list = byId('times');
        bar.replaceChildren();
        list.replaceChildren();
        for (const [key, name] of [...timeNames, ['total', 'in all']]) {
            const ms = key === 'total' ? turn.total : turn.times[key];
            if (!(ms > 0)) continue;
            list.append(make('div', '', make('dt', '', name), make('dd', '', duration(ms))));
            if (key === 'total' || key === 'wait_ms' || ms <= 0) continue;
            const part = make('span');
            part.style.flexGrow = String(ms);
            bar.append(part);
        }
    }

    // --- going from turn to turn -------------------------------------------------------------------------

    let current = 0;

    function showSteps() {
        const there = shownTurns();
        byId('previous').disabled = !there.some((it) => it.index < current);
        byId('next').disabled = !there.some((it) => it.index > current);
    }

    function show(index, { announce = true } = {}) {
        const inTimeline = buttons.includes(document.activeElement);
        current = index;
        const turn = turns[index];
        buttons.forEach((button, i) => {
            if (i === index) button.setAttribute('aria-current', 'true');
            else button.removeAttribute('aria-current');
        });
        if (inTimeline) buttons[index].focus();
        byId('turn-heading').textContent = `Turn ${turn.number}`;
        const phase = run.roles[turn.role];
        byId('turn-role').hidden = !turn.role || turn.role === 'agent';
        byId('turn-role').textContent = phase ? `${turn.role}, ${phase}` : turn.role ?? '';
        showPicture(turn);
        byId('items').replaceChildren(...turn.items.map(itemElement));
        showTimes(turn);
        showSteps();
        if (announce) byId('status').textContent = `${nameOf(turn)}. ${index + 1} of ${turns.length}.`;
        try {
            history.replaceState(null, '', `#turn-${turn.number}`);
        } catch { /* some viewers have no history */ }
    }

    function step(by) {
        const there = shownTurns();
        const next = by < 0 ? there.filter((it) => it.index < current).at(-1)
            : there.find((it) => it.index > current);
        if (next) show(next.index);
    }

    showSummary();
    showTimeline();
    for (const id of ['show-overlay', 'show-changes']) {
        byId(id).checked = true; // browsers remember
        byId(id).addEventListener('change', showSwitches);
    }
    byId('slider').addEventListener('input', showSlider);
    byId('previous').addEventListener('click', () => step(-1));
    byId('next').addEventListener('click', () => step(1));
    document.addEventListener('keydown', (event) => {
        if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        if (event.target instanceof HTMLInputElement && event.target.type === 'range') return;
        event.preventDefault();
        if (turns.length > 0) step(event.key === 'ArrowLeft' ? -1 : 1);
    });
    function fromAddress() {
        const wanted = /^#turn-(\d+)$/.exec(location.hash);
        return wanted ? turns.findIndex((it) => it.number === Number(wanted[1])) : -1;
    }
    addEventListener('hashchange', () => {
        const index = fromAddress();
        if (index >= 0 && index !== current) show(index);
    });
    if (turns.length > 0) {
        show(Math.max(0, fromAddress()), { announce: false });
    } else {
        byId('turn').hidden = true;
        byId('timeline').after(make('p', 'quiet', 'There was no turn.'));
    }
    document.documentElement.dataset.ready = 'true';
})();
