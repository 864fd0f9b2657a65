// Draws the annotation of a picture that waits for it, and posts it: with `--annotate panel` the page does what
// the library would do itself.
import { post } from './connection.js';
import { annotate } from './overlay.js';

/** The picture's pixels as they are, on a canvas of its natural size. */
export async function canvasOf(url) {
    const answer = await fetch(url);
    if (!answer.ok) throw Object.assign(new Error(`the picture is not there (${answer.status})`), { status: answer.status });
    const bitmap = await createImageBitmap(await answer.blob(), { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
    const canvas = document.createElement('canvas');
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0);
    bitmap.close();
    return canvas;
}

/** The canvas as a data URL of a PNG, made without holding up the page. */
async function pngOf(canvas) {
    const blob = await new Promise((resolve, reject) => {
        canvas.toBlob((made) => (made ? resolve(made) : reject(new Error('the picture cannot be encoded'))), 'image/png');
    });
    return new Promise((resolve, reject) => {
        const reader = new FileReader();
        reader.onload = () => resolve(reader.result);
        reader.onerror = () => reject(reader.error);
        reader.readAsDataURL(blob);
    });
}

const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

/** Sees to each waiting picture once, whatever number of states tell of it. */
export class Annotator {
    #config;
    #onProblem;
    #at = null; // {run, seq} that waits, or null
    #working = false;
    #done = '';

    /** `onProblem` is called with what is wrong, and with '' when it is over. */
    constructor(config, onProblem) {
        this.#config = config;
        this.#onProblem = onProblem;
    }

    see(state) {
        const waits = this.#config.annotate === 'panel' && state.live && state.wanted && state.picture;
        if (!waits) {
            this.stop();
            return;
        }
        this.#at = { run: state.run, seq: state.wanted.seq, picture: state.picture };
        if (!this.#working) this.#work();
    }

    /** What is being sent may still arrive; nothing is said of it any more. */
    stop() {
        this.#at = null;
        this.#onProblem('');
    }

    static #name({ run, seq }) {
        return `${run}/${seq}`;
    }

    async #work() {
        this.#working = true;
        let wait = 500;
        while (this.#at !== null && Annotator.#name(this.#at) !== this.#done) {
            const wanted = this.#at;
            const { again, problem } = await this.#send(wanted);
            if (!again) this.#done = Annotator.#name(wanted);
            if (this.#at !== null) this.#onProblem(problem);
            if (!again) continue;
            await pause(wait);
            wait = Math.min(wait * 2, 5000);
        }
        this.#working = false;
    }

    async #send(wanted) {
        let image;
        try {
            const canvas = await canvasOf(wanted.picture.raw_url);
            annotate(canvas, wanted.picture.annotation ?? { boxes: [], trail: [] }, this.#config);
            image = await pngOf(canvas);
        } catch (error) {
            if (error.status === 404) return { again: false, problem: '' }; // it waits no longer
            return { again: true, problem: `The picture of turn ${wanted.seq} could not be drawn: ${error.message}.` };
        }
        // The run may have gone on meanwhile, by another window of this page.
        if (this.#at === null || Annotator.#name(this.#at) !== Annotator.#name(wanted)) return { again: false, problem: '' };
        const answer = await post('/annotated', { run: wanted.run, seq: wanted.seq, image_b64: image });
        if (answer.ok || answer.status === 409) return { again: false, problem: '' };
        return {
            again: answer.status === 0 || answer.status >= 500,
            problem: `The picture of turn ${wanted.seq} was not taken: ${answer.error}.`,
        };
    }
}
