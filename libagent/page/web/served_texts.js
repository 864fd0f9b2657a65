// The texts of requests from the panel's server; FrozenTexts has those of a report.

import { request } from './access.js';

const maxTexts = 300; // in memory

/** `run()` returns the name of the run. */
export class ServedTexts {
    #run;
    #loaded = new Map();

    constructor(run) {
        this.#run = run;
    }
    /** Null if the text is missing; rejects if the server does not respond. */
    textOf(hash) {
        const address = `/prompt/${encodeURIComponent(this.#run())}/${encodeURIComponent(hash)}`;
        if (!this.#loaded.has(address)) {
            const text = this.#load(address);
            text.catch(() => this.#loaded.delete(address));
            this.#loaded.set(address, text);
            if (this.#loaded.size > maxTexts) this.#loaded.delete(this.#loaded.keys().next().value);
        }
        return this.#loaded.get(address);
    }

    async #load(address) {
        const answer = await request(address);
        if (answer.status === 404) return null;
        if (!answer.ok) throw new Error(`the server answers with ${answer.status}`);
        return answer.text();
    }
}
