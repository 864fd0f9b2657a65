// Tests that the page annotates screenshots as the library does.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { launch } from './browser.mjs';
import { openPanel, program, startRun } from './panel_run.mjs';

let browser;
let folder;
before(async () => {
    browser = await launch();
    folder = mkdtempSync(path.join(tmpdir(), 'eyehand-overlay-'));
    execFileSync(program('EYEHAND_PANEL_OVERLAY'), [folder]);
});
after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
});

/** In the page: annotates, encodes as for the server, decodes again and counts the differing pixels. */
async function compare({ raw, native, annotation, ui }) {
    const { annotate } = await import('/overlay.js');
    const { request } = await import('/access.js');
    const config = await (await request('/config')).json();
    const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const pixelsOf = (canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const canvasFrom = async (bytes) => {
        const url = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
        // connect-src 'self' does not allow fetch() of a blob.
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = document.createElement('canvas');
        canvas.width = image.naturalWidth;
        canvas.height = image.naturalHeight;
        canvas.getContext('2d', { willReadFrequently: true }).drawImage(image, 0, 0);
        return canvas;
    };
    const drawn = await canvasFrom(bytesOf(raw));
    const untouched = pixelsOf(drawn).slice();
    annotate(drawn, annotation, { ui, font: config.font });
    const encoded = await new Promise((resolve) => { drawn.toBlob(resolve, 'image/png'); });
    const page = pixelsOf(await canvasFrom(await encoded.arrayBuffer()));
    const library = pixelsOf(await canvasFrom(bytesOf(native)));
    let differing = 0;
    let most = 0;
    let annotated = 0;
    for (let i = 0; i < page.length; i += 4) {
        let difference = 0;
        let change = 0;
        for (let channel = 0; channel < 4; ++channel) {
            difference = Math.max(difference, Math.abs(page[i + channel] - library[i + channel]));
            change = Math.max(change, Math.abs(untouched[i + channel] - library[i + channel]));
        }
        differing += difference > 0 ? 1 : 0;
        annotated += change > 0 ? 1 : 0;
        most = Math.max(most, difference);
    }
    return { same: page.length === library.length, pixels: page.length / 4, annotated, differing, most };
}

test('the page annotates screenshots as the library does', async (t) => {
    const run = await startRun(t, '--profile', 'story');
    const { page } = await openPanel(t, browser, run);
    for (const { name, annotation, ui } of JSON.parse(readFileSync(path.join(folder, 'cases.json'), 'utf8'))) {
        await t.test(name, async () => {
            const base64 = (file) => readFileSync(path.join(folder, file)).toString('base64');
            const told = { raw: base64(`${name}.raw.png`), native: base64(`${name}.png`), annotation, ui };
            const result = await page.evaluate(compare, told);
            t.diagnostic(`${name}: ${result.annotated} of ${result.pixels} pixels annotated, ${result.differing} differ, by at most ${result.most}`);
            assert.ok(result.same, 'the sizes differ');
            assert.equal(result.annotated > 0, name !== 'nothing');
            // The arithmetic is the same, except that pow may differ in the last digit.
            assert.ok(result.differing <= result.pixels * 0.005, `${result.differing} pixels differ`);
            assert.ok(result.most <= 3 || result.differing === 0, `by ${result.most} levels`);
        });
    }
});
