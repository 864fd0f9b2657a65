// The texts of requests in a report: {hash: text}. ServedTexts has those of the panel's server.

export class FrozenTexts {
    #texts;

    constructor(texts) {
        this.#texts = new Map(Object.entries(texts));
    }
    async textOf(hash) {
        return this.#texts.get(hash) ?? null;
    }
}
