// The time and tokens of each turn: two rows of stacked bars, and a table.
import { element, onChange, svgElement } from './element.js';
import { count, counted, duration, timesOf, tokensOf } from './run.js';

const width = 340;
const rowHeight = 52;
const left = 46;
const gap = 22;

const timeParts = [
    { name: 'look', label: 'screenshot' },
    { name: 'model', label: 'model' },
    { name: 'act', label: 'actions' },
];
const tokenParts = [
    { name: 'cached', label: 'prompt, cached' },
    { name: 'prompt', label: 'prompt' },
    { name: 'completion', label: 'reply' },
];

/** The tokens of a turn, with the prompt split into a cached and an uncached part. */
function partsOfTokens(turn) {
    const { prompt, cached, completion } = tokensOf(turn);
    return { cached: cached ?? 0, prompt: Math.max((prompt ?? 0) - (cached ?? 0), 0), completion: completion ?? 0 };
}

const total = (values) => Object.values(values).reduce((all, value) => all + value, 0);

const pitchOf = (turns) => Math.min((width - left) / Math.max(turns.length, 1), 26);

function bars(turns, valuesOf, parts, top) {
    const most = Math.max(...turns.map((turn) => total(valuesOf(turn))), 1e-9);
    const pitch = pitchOf(turns);
    const nodes = [svgElement('rect', { class: 'shown', y: top - 4, width: pitch, height: rowHeight + 4 })];
    turns.forEach((turn, index) => {
        const values = valuesOf(turn);
        let base = top + rowHeight;
        const x = left + index * pitch;
        for (const { name } of parts) {
            const height = (values[name] / most) * rowHeight;
            if (height <= 0) continue;
            base -= height;
            nodes.push(svgElement('rect', {
                class: `part ${name}`, x: x + pitch * 0.12, y: base, width: pitch * 0.76, height,
            }));
        }
    });
    nodes.push(svgElement('line', { class: 'axis', x1: left, y1: top + rowHeight, x2: width, y2: top + rowHeight }));
    return { nodes, most, pitch };
}

function legend(parts) {
    return element('p', { class: 'legend' }, ...parts.map(({ name, label }) =>
        element('span', {}, element('i', { class: `swatch ${name}` }), label)));
}

function table(turns) {
    const head = ['Turn', 'Screenshot', 'Model', 'Actions', 'Prompt', 'Cached', 'Reply'];
    return [
        element('thead', {}, element('tr', {}, ...head.map((name) => element('th', { scope: 'col' }, name)))),
        element('tbody', {}, ...turns.map((turn) => {
            const times = timesOf(turn);
            const tokens = tokensOf(turn);
            return element('tr', {},
                element('th', { scope: 'row' }, String(turn.turn)),
                ...[duration(times.look), duration(times.model), duration(times.act), count(tokens.prompt),
                    count(tokens.cached), count(tokens.completion)].map((text) => element('td', {}, text)));
        })),
    ];
}

export function showChart(place, tablePlace, turns, shownTurn) {
    const data = turns.map((turn) => [turn.turn, timesOf(turn), partsOfTokens(turn)]);
    onChange(place, data, () => {
        if (turns.length === 0) {
            place.replaceChildren();
            return;
        }
        const second = gap + rowHeight + 14;
        const times = bars(turns, timesOf, timeParts, 8);
        const tokens = bars(turns, partsOfTokens, tokenParts, second);
        const text = (x, y, content, anchor) => svgElement('text', { x, y, 'text-anchor': anchor }, content);
        const bottom = second + rowHeight + 14;
        const labels = [
            text(left - 6, 16, duration(times.most), 'end'),
            text(left - 6, second + 8, tokens.most < 1 ? '0' : count(tokens.most), 'end'),
            text(left + times.pitch / 2, bottom, String(turns[0].turn), 'middle'),
        ];
        if (turns.length > 1)
            labels.push(text(left + (turns.length - 0.5) * times.pitch, bottom, String(turns[turns.length - 1].turn), 'middle'));
        const sumOf = (valuesOf) => turns.reduce((all, turn) => all + total(valuesOf(turn)), 0);
        const told = `${counted(turns.length, 'turn')}, ${duration(sumOf(timesOf))} and ${count(sumOf(partsOfTokens))} tokens ` +
            `in total; maximum per turn: ${duration(times.most)} and ${count(Math.round(tokens.most))} tokens.`;
        place.replaceChildren(
            legend(timeParts),
            svgElement('svg', { viewBox: `0 0 ${width} ${bottom + 4}`, role: 'img', 'aria-label': told },
                ...times.nodes, ...tokens.nodes, ...labels),
            legend(tokenParts));
        tablePlace.replaceChildren(element('caption', { class: 'unseen' }, 'Time and tokens per turn'), ...table(turns));
    });
    const index = turns.findIndex((turn) => turn.turn === shownTurn);
    const pitch = pitchOf(turns);
    for (const mark of place.querySelectorAll('.shown')) {
        mark.setAttribute('x', left + Math.max(index, 0) * pitch);
        mark.setAttribute('visibility', index < 0 ? 'hidden' : 'visible');
    }
}
