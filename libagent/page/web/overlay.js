// Annotates a screenshot pixel by pixel as the library does (libagent/src/annotation/annotation.cpp on
// libwinio/src/paint.cpp). Canvas gradients differ between browsers, but the model must always see the same image: the
// code uses the same order, the same rounding and the same 32-bit float arithmetic as the library.
//
//     const image = context.getImageData(0, 0, width, height);
//     drawAnnotation(image, annotation, config.ui, config.font);
//     context.putImageData(image, 0, 0);

const tableSize = 1024;
const { fround } = Math;

/** Rounds half away from zero, as lround does. */
function lround(value) {
    const size = Math.abs(value);
    const whole = Math.trunc(size);
    return Math.sign(value) * (size - whole >= 0.5 ? whole + 1 : whole);
}

/** Rounds half to even, as "%.0f" does. */
function rounded(value) {
    const size = Math.abs(value);
    const whole = Math.trunc(size);
    const rest = size - whole;
    const up = rest > 0.5 || (rest === 0.5 && whole % 2 === 1);
    return (value < 0 || Object.is(value, -0) ? '-' : '') + String(up ? whole + 1 : whole);
}

/** A position in the numbers of the model: "500,300". Without them, in 1/1000 of the screenshot. */
function listed(place, numbers) {
    if (!numbers) return place.map(rounded).join(',');
    const scale = 10 ** numbers.decimals;
    const shown = place.map((value, axis) =>
        lround(clamped(value, 0, 1000) * (numbers.max[axis] * scale) / 1000) / scale);
    return numbers.y_first ? `y ${shown[1]},x ${shown[0]}` : shown.join(',');
}

function clamped(value, least, most) {
    return Math.min(Math.max(value, least), most);
}

/** Parses "rgba(255,140,0,0.5)". */
export function parseRgba(text) {
    const match = /^rgba?\(([^)]*)\)$/.exec(text.trim());
    if (!match) throw new Error(`not a color: ${text}`);
    const [red, green, blue, alpha = 1] = match[1].split(',').map(Number);
    return { red, green, blue, alpha };
}

/** The color times alpha, and the share of the background, in 65536ths. */
function layerOf({ red, green, blue, alpha }) {
    return [red, green, blue].map((level) => lround(level * alpha * 65536)).concat(lround((1 - alpha) * 65536));
}

/** A table of layers from the center to the edge; the last one is transparent. */
function gradient(givenStops, opacity = 1) {
    const stops = givenStops.map(([at, color]) => ({ at, ...parseRgba(color) })).sort((a, b) => a.at - b.at);
    const colorAt = (t) => {
        if (stops.length === 0) return { red: 0, green: 0, blue: 0, alpha: 0 };
        const after = stops.findIndex((stop) => t < stop.at);
        let color;
        if (after === 0) {
            color = { ...stops[0] };
        } else if (after < 0) {
            color = { ...stops[stops.length - 1] };
        } else {
            const from = stops[after - 1];
            const to = stops[after];
            const part = (t - from.at) / (to.at - from.at);
            const between = (name) => from[name] + (to[name] - from[name]) * part;
            color = { red: between('red'), green: between('green'), blue: between('blue'), alpha: between('alpha') };
        }
        color.alpha *= opacity;
        return color;
    };
    const table = new Int32Array((tableSize + 2) * 4);
    for (let i = 0; i <= tableSize; ++i) table.set(layerOf(colorAt(i / tableSize)), i * 4);
    table.set([0, 0, 0, 65536], (tableSize + 1) * 4);
    return table;
}

class Painter {
    constructor({ data, width, height }, font) {
        this.data = data;
        this.width = width;
        this.height = height;
        this.font = font;
    }

    visible({ x, y, width, height }) {
        const left = Math.max(x, 0);
        const top = Math.max(y, 0);
        return { left, top, right: Math.min(x + width, this.width), bottom: Math.min(y + height, this.height) };
    }

    mix(at, layers, from) {
        const { data } = this;
        const through = layers[from + 3];
        data[at] = (data[at] * through + layers[from] + 32768) >>> 16;
        data[at + 1] = (data[at + 1] * through + layers[from + 1] + 32768) >>> 16;
        data[at + 2] = (data[at + 2] * through + layers[from + 2] + 32768) >>> 16;
    }

    fill(area, color) {
        const { left, top, right, bottom } = this.visible(area);
        const layer = layerOf(color);
        for (let y = top; y < bottom; ++y)
            for (let x = left; x < right; ++x) this.mix(4 * (y * this.width + x), layer, 0);
    }

    fillDisc(center, radius, table) {
        if (!(radius > 0)) return;
        const reach = Math.min(Math.ceil(radius), 100000);
        const area = { x: center.x - reach, y: center.y - reach, width: 2 * reach + 1, height: 2 * reach + 1 };
        this.paint(area, center.x, center.y, radius, fround(radius * radius), table);
    }

    fillRadially(area, table) {
        this.paint(area, area.x + (area.width - 1) / 2, area.y + (area.height - 1) / 2,
            Math.max(area.width, area.height) / 2, Infinity, table);
    }

    paint(area, centerX, centerY, radius, square, table) {
        const { left, top, right, bottom } = this.visible(area);
        const perRadius = fround(tableSize / Math.max(radius, 1e-3));
        for (let y = top; y < bottom; ++y) {
            const down = fround(y - centerY);
            const downSquare = fround(down * down);
            for (let x = left; x < right; ++x) {
                const across = fround(x - centerX);
                const distance = fround(downSquare + fround(across * across));
                if (distance > square) continue;
                const place = fround(fround(fround(Math.sqrt(distance)) * perRadius) + 0.5);
                this.mix(4 * (y * this.width + x), table, 4 * Math.trunc(Math.min(place, tableSize)));
            }
        }
    }

    /** Draws a border of four bars inside the area. */
    frame(area, width, color) {
        if (area.width <= 0 || area.height <= 0 || width <= 0) return;
        const across = Math.min(width, Math.trunc((area.width + 1) / 2));
        const down = Math.min(width, Math.trunc((area.height + 1) / 2));
        const bottom = area.y + area.height;
        const end = area.x + area.width;
        const lower = Math.max(area.y + down, bottom - down);
        const right = Math.max(area.x + across, end - across);
        this.fill({ x: area.x, y: area.y, width: area.width, height: down }, color);
        this.fill({ x: area.x, y: lower, width: area.width, height: bottom - lower }, color);
        this.fill({ x: area.x, y: area.y + down, width: across, height: lower - area.y - down }, color);
        this.fill({ x: right, y: area.y + down, width: end - right, height: lower - area.y - down }, color);
    }

    write(x, y, text, scale, color) {
        const { width, height, advance, glyphs, other } = this.font;
        let left = x;
        for (const character of text) {
            const rows = glyphs[character] ?? other;
            for (let row = 0; row < height; ++row)
                for (let column = 0; column < width; ++column)
                    if ((rows[row] >> (width - 1 - column)) & 1)
                        this.fill({ x: left + column * scale, y: y + row * scale, width: scale, height: scale }, color);
            left += advance * scale;
        }
    }
}

const labelGround = { red: 0, green: 0, blue: 0, alpha: 0.65 };
const labelText = { red: 255, green: 255, blue: 255, alpha: 1 };

function normalized(box) {
    const within = (value) => clamped(value, 0, 1000);
    const [x1, x2] = [within(box.x1), within(box.x2)].sort((a, b) => a - b);
    const [y1, y2] = [within(box.y1), within(box.y2)].sort((a, b) => a - b);
    return { x1, y1, x2, y2 };
}

/**
 * Draws boxes, heat and labels over `image` (an opaque ImageData). `annotation` and `ui` have the form of the server's
 * /state and /config.
 */
export function drawAnnotation(image, annotation, ui, font) {
    const { width, height } = image;
    const painter = new Painter(image, font);
    const longer = Math.max(width, height);
    const scale = clamped(lround(longer / 768), 1, 8);
    const textWidth = (text) =>
        text === '' ? 0 : (text.length * font.advance - (font.advance - font.width)) * scale;
    const pixel = ([x, y]) => ({
        x: lround((clamped(x, 0, 1000) / 1000) * (width - 1)),
        y: lround((clamped(y, 0, 1000) / 1000) * (height - 1)),
    });

    const labels = [];
    const addLabel = (x, y, text) => {
        const ground = { width: textWidth(text) + 2 * scale, height: font.height * scale + 2 * scale };
        ground.x = Math.max(0, Math.min(x, width - ground.width));
        ground.y = Math.max(0, Math.min(y, height - ground.height));
        labels.push({ ground, text });
    };

    const boxes = ui.bbox_heat;
    if (boxes.enabled) {
        const fill = gradient(boxes.fill_stops);
        const border = parseRgba(boxes.border);
        annotation.boxes.forEach((given, index) => {
            const { x1, y1, x2, y2 } = normalized(given);
            const from = pixel([x1, y1]);
            const to = pixel([x2, y2]);
            const box = { x: from.x, y: from.y, width: to.x - from.x + 1, height: to.y - from.y + 1 };
            painter.fillRadially(box, fill);
            painter.frame(box, boxes.border_width, border);
            // Above the box, so that the label does not cover it.
            addLabel(from.x, from.y - (font.height * scale + 2 * scale),
                `#${index + 1} (${listed([x1, y1], ui.coordinates)},${listed([x2, y2], ui.coordinates)})`);
        });
    }

    const heat = ui.executed_heat;
    if (heat.enabled) {
        const most = Math.max(heat.trail_turns, 1);
        // The oldest first, below the others.
        for (let age = Math.min(annotation.trail.length, most) - 1; age >= 0; --age) {
            const marks = annotation.trail[age];
            if (marks.length === 0) continue;
            const left = heat.trail_shrink ** age;
            const radius = heat.radius_scale * longer * left;
            const table = gradient(heat.stops, 1 - age / most);
            const toward = (from, to, part) => [from[0] + (to[0] - from[0]) * part, from[1] + (to[1] - from[1]) * part];
            for (const { number, at, to } of marks) {
                const middle = to ? toward(at, to, 0.5) : at;
                painter.fillDisc(pixel(toward(middle, at, left)), radius, table);
                if (to) painter.fillDisc(pixel(toward(middle, to, left)), radius, table);
                if (age > 0) continue;
                // To the lower right of the target, which stays visible.
                const aside = Math.min(lround(radius * 0.7), 12 * scale);
                const addMark = (place, arrow) => {
                    const { x, y } = pixel(place);
                    addLabel(x + aside, y + aside, `${number} ${arrow}(${listed(place, ui.coordinates)})`);
                };
                addMark(at, '');
                if (to) addMark(to, '>');
            }
        }
    }

    for (const { ground, text } of labels) {
        painter.fill(ground, labelGround);
        painter.write(ground.x + scale, ground.y + scale, text, scale, labelText);
    }
}

/** Annotates a canvas; `config` is the JSON of /config. */
export function annotate(canvas, annotation, config) {
    const context = canvas.getContext('2d', { willReadFrequently: true });
    const image = context.getImageData(0, 0, canvas.width, canvas.height);
    drawAnnotation(image, annotation, config.ui, config.font);
    context.putImageData(image, 0, 0);
}
