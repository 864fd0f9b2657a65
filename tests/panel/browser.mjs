// Starts Chromium for the tests of pages, and checks that apply to every page.
//
//     const browser = await launch();
//     const { page, requests } = await open(browser, { width: 390, height: 844, colorScheme: 'dark' });
//     await page.goto(pathToFileURL(file).href);
//     await assertAccessible(page);
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Debian's Chromium without windows, unless EYEHAND_CHROMIUM names another one. */
export const chromiumPath = process.env.EYEHAND_CHROMIUM ?? '/usr/bin/chromium-headless-shell';

/** Milliseconds after which a test counts as hanging, also on a busy computer. */
export const patience = 120000;

/** The tested window sizes and color schemes: the layout depends only on the size, and the colors only on the scheme. */
export const views = [
    { width: 1280, height: 800, colorScheme: 'light' },
    { width: 390, height: 844, colorScheme: 'dark' },
];

export function nameOf(view) {
    return `${view.width} px, ${view.colorScheme}`;
}

export async function launch() {
    assert.ok(existsSync(chromiumPath), `no Chromium at ${chromiumPath}: scripts/setup --tests installs it`);
    return chromium.launch({
        executablePath: chromiumPath,
        args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
            '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
}

/**
 * Opens a page in a context of its own. `requests` collects the addresses that the page requests, `problems` the exceptions
 * of its scripts and the errors on its console.
 */
export async function open(browser, { width = 1280, height = 800, colorScheme = 'light' } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
    context.setDefaultTimeout(patience);
    const page = await context.newPage();
    const requests = [];
    const problems = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text());
    });
    return { page, requests, problems };
}

/** Fails if axe finds a serious or critical violation. */
export async function assertAccessible(page) {
    // evaluate() bypasses the page's content security policy; a script element would not.
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    const found = violations
        .filter((it) => it.impact === 'serious' || it.impact === 'critical')
        .map((it) => `${it.impact}: ${it.id}: ${it.help}\n` +
            it.nodes.map((node) => `    ${node.target.join(' ')}: ${node.failureSummary}`).join('\n'));
    assert.deepEqual(found, [], found.join('\n'));
}

/** Fails if the content is wider than the window. */
export async function assertFits(page) {
    const [inner, content] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
    assert.ok(content <= inner, `the page is ${content} px wide in a window of ${inner} px`);
}
