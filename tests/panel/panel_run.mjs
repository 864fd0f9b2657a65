// Starts the program eyehand-panel-run, whose page the tests use.
//
//     const run = await startRun(t, '--profile', 'story');
//     await page.goto(run.url);
//     run.go(); // lets the model reply
//     await run.line(/^asked 2$/);
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { open, patience } from './browser.mjs';

/** The program that ctest names in EYEHAND_PANEL_RUN or EYEHAND_PANEL_OVERLAY. */
export function program(variable) {
    const named = process.env[variable];
    assert.ok(named, `${variable} is not set: ctest sets it`);
    return named;
}

class Run {
    #child;
    #lines = [];
    #waiting = [];
    #ended = false;
    #killed = false;
    /** For the program's temporary files: a killed program does not delete them. */
    #folder = mkdtempSync(join(tmpdir(), 'eyehand-panel-'));

    constructor(args) {
        this.#child = spawn(program('EYEHAND_PANEL_RUN'), args, {
            stdio: ['pipe', 'pipe', 'inherit'],
            env: { ...process.env, TMPDIR: this.#folder },
        });
        this.exit = once(this.#child, 'exit');
        this.#child.stdin.on('error', () => {}); // the program may have ended
        const reader = createInterface({ input: this.#child.stdout });
        reader.on('line', (line) => {
            this.#lines.push(line);
            this.#look();
        });
        reader.on('close', () => {
            this.#ended = true;
            this.#look();
        });
    }

    #look() {
        this.#waiting = this.#waiting.filter((wait) => {
            const found = this.#lines.filter((line) => wait.pattern.test(line))[wait.count - 1];
            if (found !== undefined) wait.resolve(found);
            else if (this.#ended) wait.reject(new Error(`the program ended without ${wait.pattern}; its output:\n${this.#lines.join('\n')}`));
            return found === undefined && !this.#ended;
        });
    }

    /** Waits for the first line that matches, or for the one after `count - 1` others. */
    line(pattern, count = 1) {
        return new Promise((resolve, reject) => {
            const late = setTimeout(() => reject(new Error(`no ${pattern} so far; the output:\n${this.#lines.join('\n')}`)), patience);
            const and = (settle) => (value) => { clearTimeout(late); settle(value); };
            const wait = { pattern, count, reject: and(reject), resolve: and(resolve) };
            this.#waiting.push(wait);
            this.#look();
        });
    }

    count(pattern) {
        return this.#lines.filter((line) => pattern.test(line)).length;
    }

    say(word) {
        this.#child.stdin.write(`${word}\n`);
    }

    go(times = 1) {
        for (let i = 0; i < times; ++i) this.say('go');
    }

    async end() {
        this.#child.stdin.end();
        const [status] = await this.exit;
        rmSync(this.#folder, { recursive: true });
        if (!this.#killed) assert.equal(status, 0);
    }

    kill() {
        this.#killed = true;
        this.#child.kill('SIGKILL');
    }
}

/** Starts a run that ends with the test `t`. */
export async function startRun(t, ...args) {
    const run = new Run(args);
    t.after(() => run.end());
    run.url = await run.line(/^http/);
    return run;
}

/** Opens a page of the run. When the test ends, the page is closed and must not have requested anything from other hosts. */
export async function openPanel(t, browser, run, view) {
    const opened = await open(browser, view);
    t.after(async () => {
        await opened.page.context().close();
        const { origin } = new URL(run.url);
        const foreign = opened.requests.filter((url) => !url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url));
        assert.deepEqual(foreign, []);
    });
    await opened.page.goto(run.url);
    // The page loads the settings of the run at its first event at the latest.
    await opened.page.locator('#about-facts dt', { hasText: /^Eyehand$/ }).waitFor({ state: 'attached' });
    return opened;
}

/** Waits until an element has the text. */
export async function says(page, selector, text) {
    await page.locator(selector).filter({ hasText: text }).first().waitFor();
}
