// The picture of a turn with what was aimed at: heat and boxes in the picture itself, targets and the pointer as
// marks above it.
import { annotate, canvasOf } from './annotate.js';
import { byId, element, onChange, setText, svgElement } from './element.js';
import { count } from './run.js';

/** What a turn's picture is to show, from what the page knows. */
export class Stage {
    #config;
    #shown = ''; ///< what the canvas has
    #wanted = ''; ///< what it is to have
    #canvas = byId('canvas');
    #screen = byId('screen');

    constructor(config) {
        this.#config = config;
    }

    /** The configuration of another run. */
    use(config) {
        this.#config = config;
        this.#wanted = '';
    }

    /**
     * `picture` as the server describes it, or null; `trail` the marks of earlier turns, for pictures without
     * annotation; `marks` what this turn aims at; `questions` what waits for consent.
     */
    show({ picture, title, live, trail, marks, questions, heat, targets, pending }) {
        setText(byId('stage-title'), title);
        byId('live').hidden = !live;
        byId('no-picture').hidden = picture !== null;
        this.#screen.hidden = picture === null;
        byId('open-picture').hidden = picture === null;
        if (picture === null) {
            setText(byId('caption'), '');
            return;
        }
        const drawn = this.#plan(picture, trail, heat, pending);
        byId('open-picture').setAttribute('href', drawn.url);
        this.#paint(drawn);
        const pointer = live ? picture.pointer ?? null : null;
        const places = targets ? marks : [];
        const asked = questions.flatMap((question) => (question.points ?? []).map((at) => ({ number: '?', at, asked: true })));
        this.#mark([...places, ...asked], targets ? pointer : null);
        this.#describe(picture, title, marks, pointer);
    }

    /** Which file, and what is drawn over it here. */
    #plan(picture, trail, heat, pending) {
        const raw = picture.raw_url ?? picture.url;
        if (pending) return { url: raw, annotation: heat ? picture.annotation : null, ui: this.#config.ui };
        if (picture.annotation) return { url: heat ? picture.url : raw, annotation: null };
        const annotation = heat && trail.length > 0 ? { boxes: [], trail } : null;
        const { ui } = this.#config;
        return { url: raw, annotation, ui: { ...ui, executed_heat: { ...ui.executed_heat, enabled: true } } };
    }

    async #paint(drawn) {
        const name = JSON.stringify([drawn.url, drawn.annotation]);
        if (name === this.#wanted) return;
        this.#wanted = name;
        let made;
        try {
            made = await canvasOf(drawn.url);
            if (drawn.annotation) annotate(made, drawn.annotation, { ...this.#config, ui: drawn.ui });
        } catch {
            // Away, like the server; the next state asks again.
            if (this.#wanted === name) this.#wanted = this.#shown;
            return;
        }
        if (this.#wanted !== name) return;
        this.#canvas.width = made.width;
        this.#canvas.height = made.height;
        this.#canvas.getContext('2d').drawImage(made, 0, 0);
        this.#canvas.dataset.url = drawn.url;
        this.#screen.style.setProperty('--aspect', String(made.width / made.height));
        this.#shown = name;
    }

    #mark(marks, pointer) {
        onChange(byId('marks'), [marks, pointer], () => {
            const at = (node, [x, y]) => {
                node.style.left = `${x / 10}%`;
                node.style.top = `${y / 10}%`;
                return node;
            };
            const nodes = [];
            const strokes = [];
            for (const { number, at: place, to, asked } of marks) {
                const kind = asked ? 'target asked' : 'target';
                nodes.push(at(element('span', { class: kind }, element('b', {}, String(number))), place));
                if (!to) continue;
                nodes.push(at(element('span', { class: 'target end' }), to));
                strokes.push(svgElement('line', { x1: place[0], y1: place[1], x2: to[0], y2: to[1] }));
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

    #describe(picture, title, marks, pointer) {
        const place = ([x, y]) => `${Math.round(x)}, ${Math.round(y)}`;
        const parts = [`${count(picture.width)} × ${count(picture.height)} pixels`];
        for (const { number, at, to } of marks)
            parts.push(`target ${number} at ${place(at)}${to ? ` to ${place(to)}` : ''}`);
        if (pointer) parts.push(`pointer at ${place(pointer)}`);
        setText(byId('caption'), parts.join(' · '));
        const label = `Screenshot, ${title}: ${parts.join(', ')}`;
        if (this.#canvas.getAttribute('aria-label') !== label) this.#canvas.setAttribute('aria-label', label);
    }
}
