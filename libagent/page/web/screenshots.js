// The sources of screenshots: the panel's server, or the report itself.

/** Screenshots of the panel's server. `load(url)` resolves to a canvas; `link(url)` returns an address for another tab. */
export class ServedScreenshots {
    #load;
    #link;

    constructor(load, link) {
        this.#load = load;
        this.#link = link;
    }
    addressOf(picture, kind) {
        return kind === 'drawn' ? picture.url : picture.raw_url ?? picture.url;
    }
    canvasOf(picture, kind) {
        return this.#load(this.addressOf(picture, kind));
    }
    linkOf(picture, kind) {
        return this.#link(this.addressOf(picture, kind));
    }
    hasDrawn() {
        return true;
    }
    problemOf() {
        return '';
    }
    noteOf() {
        return '';
    }
    isFinal() {
        return false;
    }
}

const mostLoaded = 40; // images in memory

/**
 * Screenshots of a report, composed of layers: `pictures` is a list of {file, width, height, layers: [[image, x, y, width,
 * height], ...], reduced, problem}, `images` a list of data URLs.
 */
export class FrozenScreenshots {
    #pictures;
    #images;
    #loaded = new Map();

    constructor(pictures, images) {
        this.#pictures = pictures;
        this.#images = images;
    }
    addressOf(picture) {
        return this.#pictures[picture.picture].file || `screenshot ${picture.picture}`;
    }
    async canvasOf(picture) {
        const { width, height, layers } = this.#pictures[picture.picture];
        const images = await Promise.all(layers.map(([index]) => this.#load(index)));
        const canvas = document.createElement('canvas');
        canvas.width = width;
        canvas.height = height;
        const context = canvas.getContext('2d', { willReadFrequently: true });
        images.forEach((image, i) => context.drawImage(image, ...layers[i].slice(1)));
        return canvas;
    }
    linkOf() {
        return null; // browsers do not open data URLs of a page
    }
    hasDrawn() {
        return false;
    }
    problemOf(picture) {
        const { layers, problem } = this.#pictures[picture.picture];
        return layers.length > 0 ? '' : problem ?? 'No screenshot.';
    }
    noteOf(picture) {
        const { reduced, problem, file } = this.#pictures[picture.picture];
        if (problem) return problem;
        return reduced ? `reduced quality; the original is ${file}` : '';
    }
    isFinal() {
        return true;
    }
    /** The number of screenshots that are not pixel-exact. */
    reduced() {
        return this.#pictures.filter((picture) => picture.reduced).length;
    }

    #load(index) {
        if (!this.#loaded.has(index)) {
            const image = new Image();
            image.src = this.#images[index];
            this.#loaded.set(index, image.decode().then(() => image));
            if (this.#loaded.size > mostLoaded) this.#loaded.delete(this.#loaded.keys().next().value);
        }
        return this.#loaded.get(index);
    }
}
