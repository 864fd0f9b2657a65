// The screenshot of a turn: heat and boxes are drawn into it, targets and pointer are marks above it. For turns that have
// ended, also the next screenshot for comparison.
import { byId, element, onChange, setText, svgElement } from './element.js';
import { escapeInvisible } from './invisible.js';
import { annotate } from './overlay.js';
import { count, counted, isInside, marksIn, placeIn, showSamePart } from './run.js';

/** Changed regions arrive as bands of rows: merges adjacent bands of the same width. */
function joined(rects) {
    const all = [];
    for (const [x, y, width, height] of rects) {
        const above = all.find((it) => it[0] === x && it[2] === width && it[1] + it[3] === y);
        if (above) above[3] += height;
        else all.push([x, y, width, height]);
    }
    return all;
}

/** `changed` refers to the immediately preceding screenshot. */
function isSame(picture, after) {
    if (after.picture !== undefined && after.picture === picture.picture) return true;
    return after.n === picture.n + 1 && after.changed.length === 0 && !after.bare;
}

/** A canvas that shows screenshots; the latest request wins. */
class Canvas {
    #node;
    #pictures;
    #shown = ''; ///< the screenshot on the canvas
    #wanted = ''; ///< the requested screenshot
    #missing = ''; ///< the screenshot that could not be loaded; the canvas is empty instead

    constructor(node, pictures) {
        this.#node = node;
        this.#pictures = pictures;
    }

    get isMissing() {
        return this.#missing !== '';
    }

    forget() {
        this.#wanted = '';
    }

    /**
     * Draws `drawn`: {picture, kind, annotation, config}. Calls `done` with the drawn canvas, `failed` if the screenshot can
     * never be drawn, and `changed` if `isMissing` has changed meanwhile.
     */
    async paint(drawn, { done = () => {}, failed = () => {}, changed = () => {} } = {}) {
        const address = this.#pictures.addressOf(drawn.picture, drawn.kind);
        const name = JSON.stringify([address, drawn.annotation]);
        if (name === this.#wanted) return;
        this.#wanted = name;
        if (this.#missing !== name) this.#missing = ''; // a repeated attempt keeps it
        let made;
        try {
            made = await this.#pictures.canvasOf(drawn.picture, drawn.kind);
            if (drawn.annotation) annotate(made, drawn.annotation, drawn.config);
        } catch {
            if (this.#wanted !== name) return;
            this.#wanted = this.#shown;
            if (this.#pictures.isFinal()) failed(address);
            // The server may be unreachable; the next drawing tries again.
            else if (!this.#shows(drawn.picture)) {
                this.#clear();
                this.#setMissing(name, changed);
            }
            return;
        }
        if (this.#wanted !== name) return;
        this.#node.width = made.width;
        this.#node.height = made.height;
        this.#node.getContext('2d').drawImage(made, 0, 0);
        this.#node.dataset.url = address;
        this.#shown = name;
        this.#setMissing('', changed);
        done(made);
    }

    #setMissing(name, changed) {
        if (this.#missing === name) return;
        this.#missing = name;
        changed();
    }

    /** Whether the canvas has the screenshot, with or without annotations. */
    #shows(picture) {
        return ['raw', 'drawn'].some((kind) => this.#pictures.addressOf(picture, kind) === this.#node.dataset.url);
    }

    #clear() {
        this.#wanted = '';
        this.#shown = '';
        this.#node.getContext('2d').clearRect(0, 0, this.#node.width, this.#node.height);
        delete this.#node.dataset.url;
    }
}

/** Why the wait before the next screenshot ended, unless the screen reacted. */
const waits = {
    local_only: 'only a control reacted',
    no_reaction: 'no reaction to the action',
    busy_timeout: 'the desktop was still busy for the next screenshot',
    timeout: 'the screen was still changing for the next screenshot',
};

/**
 * `pictures`: the source of screenshots, {addressOf(picture, kind), canvasOf(picture, kind), hasDrawn(picture),
 * linkOf(picture, kind), problemOf(picture), noteOf(picture), isFinal()}; `kind` is 'raw' or 'drawn'.
 */
export class Stage {
    #config;
    #pictures;
    #before;
    #after;
    #broken = new Set(); ///< addresses of screenshots that cannot be drawn

    constructor(config, pictures) {
        this.#config = config;
        this.#pictures = pictures;
        this.#before = new Canvas(byId('canvas'), pictures);
        this.#after = new Canvas(byId('after'), pictures);
        byId('slider').addEventListener('input', () => this.#slide());
        byId('show-changes').checked = true; // browsers restore the state of checkboxes
    }

    /** Sets the configuration of another run. */
    use(config) {
        this.#config = config;
        this.#before.forget();
        this.#after.forget();
    }

    /**
     * `picture`: the JSON of a screenshot, or null; `after`: the screenshot to compare it with, or null; `trail`: the marks of
     * earlier turns, for screenshots without annotation; `marks`: the targets of this turn; `questions`: the approval requests;
     * `unseen`: the model did not receive the screenshot; `direct`: no other turn has acted between the two screenshots.
     */
    show(shown) {
        const { picture, after, direct, title, live, trail, marks, questions, heat, targets, pending, unseen } = shown;
        const failed = (address) => {
            this.#broken.add(address);
            this.show(shown);
        };
        setText(byId('stage-title'), title);
        byId('live').hidden = !live;
        const problem = picture === null ? 'No screenshot yet.' : this.#problemOf(picture);
        byId('no-picture').hidden = problem === '';
        setText(byId('no-picture'), problem);
        byId('screen').hidden = problem !== '';
        const drawn = problem === '' ? this.#plan(picture, trail, heat, pending) : null;
        const link = drawn ? this.#pictures.linkOf(picture, drawn.kind) : null;
        byId('open-picture').hidden = link === null;
        if (link !== null) byId('open-picture').setAttribute('href', link);
        const comparable = drawn && after !== null && this.#problemOf(after) === '' && showSamePart(picture, after);
        this.#showAfter(comparable ? after : null, { picture, title, heat, failed });
        if (drawn === null) {
            this.#before.forget();
            setText(byId('caption'), '');
            return;
        }
        const done = ({ width, height }) => byId('screen').style.setProperty('--aspect', String(width / height));
        const describe = () => this.#describe({ picture, after, direct, title, marks, pointer, unseen });
        this.#before.paint(drawn, { done, failed, changed: describe });
        const pointer = live ? picture.pointer ?? null : null;
        const places = targets ? marks : [];
        const asked = questions.flatMap((question) => (question.points ?? []).map((at) => ({ number: '?', at, asked: true })));
        const arrow = targets && pointer ? placeIn(picture, pointer) : null;
        this.#mark(marksIn(picture, [...places, ...asked]), arrow && isInside(arrow) ? arrow : null);
        describe();
    }

    #problemOf(picture) {
        const isBroken = this.#broken.has(this.#pictures.addressOf(picture, 'raw'));
        return isBroken ? 'This screenshot cannot be shown.' : this.#pictures.problemOf(picture);
    }

    /** The file to show, and the annotation to draw over it. */
    #plan(picture, trail, heat, pending) {
        const { ui } = this.#config;
        const config = this.#config;
        if (picture.annotation && !pending && this.#pictures.hasDrawn(picture))
            return { picture, kind: heat ? 'drawn' : 'raw', annotation: null, config };
        if (picture.annotation || pending)
            return { picture, kind: 'raw', annotation: heat ? picture.annotation : null, config };
        const annotation = heat && trail.length > 0 && !picture.part ? { boxes: [], trail } : null;
        const shown = { ...config, ui: { ...ui, executed_heat: { ...ui.executed_heat, enabled: true } } };
        return { picture, kind: 'raw', annotation, config: shown };
    }

    // ---- before and after ---------------------------------------------------------------------------

    #showAfter(after, { picture, title, heat, failed }) {
        const name = after === null ? '' : `${picture.n} ${after.n}`;
        if (byId('slider').dataset.of !== name) byId('slider').value = '0';
        byId('slider').dataset.of = name;
        if (after !== null) {
            this.#after.paint(this.#plan(after, [], heat, false), { failed, changed: () => this.#compare(after) });
            byId('after').setAttribute('aria-label', `Screenshot after ${title}`);
            onChange(byId('changes'), after, () => byId('changes').replaceChildren(...this.#changes(after)));
        } else {
            this.#after.forget();
        }
        byId('changes').hidden = !byId('show-changes').checked;
        this.#compare(after);
    }

    #changes({ changed, area }) {
        const [left, top, width, height] = area;
        if (!(width > 0) || !(height > 0)) return [];
        return joined(changed).map(([x, y, across, down]) => {
            const box = element('div', { class: 'change' });
            const percent = (share) => `${(share * 100).toFixed(3)}%`;
            box.style.left = percent((x - left) / width);
            box.style.top = percent((y - top) / height);
            box.style.width = percent(across / width);
            box.style.height = percent(down / height);
            return box;
        });
    }

    #compare(after) {
        const comparable = after !== null && !this.#after.isMissing;
        byId('compare').hidden = !comparable;
        byId('later').hidden = !comparable;
        this.#slide();
    }

    #slide() {
        const value = Number(byId('slider').value);
        byId('later').style.clipPath = `inset(0 0 0 ${100 - value}%)`;
        byId('divider').style.left = `${100 - value}%`;
        byId('divider').hidden = byId('later').hidden || value === 0 || value === 100;
        byId('slider').setAttribute('aria-valuetext',
            value === 0 ? 'before' : value === 100 ? 'after' : `right ${value} percent: after`);
    }

    // ---- marks --------------------------------------------------------------------------------------

    #mark(marks, pointer) {
        onChange(byId('marks'), [marks, pointer], () => {
            const at = (node, [x, y]) => {
                node.style.left = `${x / 10}%`;
                node.style.top = `${y / 10}%`;
                return node;
            };
            const nodes = [];
            const strokes = [];
            for (const { number, at: place, to, path, asked } of marks) {
                const kind = asked ? 'target asked' : 'target';
                nodes.push(at(element('span', { class: kind }, element('b', {}, String(number))), place));
                if (!to) continue;
                nodes.push(at(element('span', { class: 'target end' }), to));
                strokes.push(svgElement('polyline', { points: (path ?? [place, to]).map((point) => point.join(',')).join(' ') }));
            }
            if (pointer) {
                const arrow = svgElement('svg', { viewBox: '0 0 16 22', width: 16, height: 22 },
                    svgElement('path', { d: 'M1 1v16l4-4 3 7 3-1.2-3-6.8h6z' }));
                nodes.push(at(element('span', { class: 'pointer' }, arrow), pointer));
            }
            byId('marks').replaceChildren(...nodes);
            byId('strokes').replaceChildren(...strokes);
        });
    }

    #describe({ picture, after, direct, title, marks, pointer, unseen }) {
        if (this.#before.isMissing) {
            const problem = 'The screenshot could not be loaded.';
            setText(byId('caption'), problem);
            byId('canvas').setAttribute('aria-label', escapeInvisible(`${title}: ${problem}`));
            return;
        }
        const place = ([x, y]) => `${Math.round(x)}, ${Math.round(y)}`;
        const parts = [`${count(picture.width)} × ${count(picture.height)} pixels`];
        for (const { number, at, to } of marks)
            parts.push(`target ${number} at ${place(at)}${to ? ` to ${place(to)}` : ''}`);
        if (pointer) parts.push(`pointer at ${place(pointer)}`);
        const label = escapeInvisible(`Screenshot, ${title}: ${parts.join(', ')}`);
        if (byId('canvas').getAttribute('aria-label') !== label) byId('canvas').setAttribute('aria-label', label);
        if (after !== null && isSame(picture, after)) {
            // Without a screenshot of its own effect, what a turn changed is unknown.
            if (direct) parts.push('the screen did not change');
        } else if (after !== null && after.changed.length > 0)
            parts.push(`${counted(joined(after.changed).length, 'region')} changed afterwards`);
        if (direct && after !== null && after.end in waits) parts.push(waits[after.end]);
        if (picture.part) parts.push('only a part of the screen');
        if (picture.redacted) parts.push('a part is blacked out for the model');
        if (unseen) parts.push('the model did not receive this screenshot');
        for (const note of new Set([picture, after].filter(Boolean).map((each) => this.#pictures.noteOf(each))))
            if (note) parts.push(note);
        setText(byId('caption'), parts.join(' · '));
    }
}
