// Annotates screenshots in place of the library, and posts them: for `--annotate panel`.
import { request } from './access.js';
import { post } from './connection.js';
import { annotate } from './overlay.js';

/** The unchanged pixels of a screenshot, on a canvas of the same size. */
export async function canvasOf(url) {
    const answer = await request(url);
    if (!answer.ok) throw Object.assign(new Error(`the server answered ${answer.status}`), { status: answer.status });
    const bitmap = await createImageBitmap(await answer.blob(), { colorSpaceConversion: 'none', premultiplyAlpha: 'none' });
    const canvas = document.createElement('canvas');
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0);
    bitmap.close();
    return canvas;
}

/** The canvas as a data URL of a PNG. Does not block the page. */
async function pngOf(canvas) {
    const blob = await new Promise((resolve, reject) => {
        canvas.toBlob((made) => (made ? resolve(made) : reject(new Error('it cannot be encoded'))), 'image/png');
    });
    return new Promise((resolve, reject) => {
        const reader = new FileReader();
        reader.onload = () => resolve(reader.result);
        reader.onerror = () => reject(reader.error);
        reader.readAsDataURL(blob);
    });
}

const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

/** Annotates each pending screenshot once, however many states contain it. */
export class Annotator {
    #config;
    #onProblem;
    #at = null; // the pending {run, seq, picture}, or null
    #working = false;
    #done = '';

    /** `onProblem` is called with the text of a problem, and with '' after it is solved. */
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

    /** A post in progress may still arrive; its result is ignored. */
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
            if (error.status === 404) return { again: false, problem: '' }; // the run no longer waits for it
            return { again: true, problem: `The screenshot of turn ${wanted.seq} could not be annotated: ${error.message}.` };
        }
        // Another window of this page may have posted it meanwhile.
        if (this.#at === null || Annotator.#name(this.#at) !== Annotator.#name(wanted)) return { again: false, problem: '' };
        const answer = await post('/annotated', { run: wanted.run, seq: wanted.seq, image_b64: image });
        if (answer.ok || answer.status === 409) return { again: false, problem: '' };
        return {
            again: answer.status === 0 || answer.status >= 500,
            problem: `The annotated screenshot of turn ${wanted.seq} was not accepted: ${answer.error}.`,
        };
    }
}
