// The connection to the panel's server: updates by server-sent events, or by polling while those fail; and posts.
import { request, withUrlToken } from './access.js';

const pollEvery = 2000;

/**
 * Calls `onState` and `onDelta` with the data of the server, and `onLink` when the connection changes: 'open', 'polling' (no
 * events, but the server answers), 'lost', or 'refused' (the server requires another address).
 */
export class Connection {
    #onState;
    #onDelta;
    #onLink;
    #link = 'opening';
    #source = null;
    #polling = null;

    constructor({ onState, onDelta, onLink }) {
        this.#onState = onState;
        this.#onDelta = onDelta;
        this.#onLink = onLink;
    }

    open() {
        this.#source?.close();
        const source = new EventSource(withUrlToken('/events', 'events'));
        this.#source = source;
        source.addEventListener('open', () => {
            clearTimeout(this.#polling);
            this.#polling = null;
            this.#become('open');
        });
        source.addEventListener('state', (event) => this.#onState(JSON.parse(event.data)));
        source.addEventListener('delta', (event) => this.#onDelta(JSON.parse(event.data)));
        source.addEventListener('error', () => {
            // While polling works, another failure of the events changes nothing.
            if (this.#link !== 'refused' && this.#link !== 'polling') this.#become('lost');
            this.#pollLater();
        });
    }

    /** Requests the whole state. */
    async refresh() {
        const state = await this.#ask();
        if (state !== null) this.#onState(state);
    }

    /** The whole state; null if the server refuses access. */
    async #ask() {
        const answer = await request('/state?raw=0');
        if (answer.status === 403) {
            this.#become('refused');
            return null;
        }
        if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
        return answer.json();
    }

    #become(link) {
        if (link === this.#link) return;
        this.#link = link;
        this.#onLink(link);
    }

    #pollLater() {
        if (this.#polling !== null) return;
        this.#polling = setTimeout(async () => {
            this.#polling = null;
            let state = null;
            try {
                state = await this.#ask();
            } catch {
                if (this.#link === 'polling') this.#become('lost');
            }
            // Events may have arrived meanwhile; they are newer.
            if (this.#link === 'open') return;
            if (state !== null) {
                this.#become('polling');
                this.#onState(state);
            }
            // A browser gives up permanently if an answer is not an event stream.
            if (this.#source.readyState === EventSource.CLOSED) this.open();
            this.#pollLater();
        }, pollEvery);
    }
}

/** The result of a post: {ok, status, error}; status 0: the server did not answer. */
export async function post(path, body) {
    try {
        const answer = await request(path, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(body),
        });
        const told = await answer.json().catch(() => ({}));
        return { ok: answer.ok, status: answer.status, error: told.error ?? (answer.ok ? '' : `the server answered ${answer.status}`) };
    } catch {
        return { ok: false, status: 0, error: 'the program does not respond' };
    }
}
