// Makes images of the pages for the documentation (scripts/panel-pictures).
//   node pictures.mjs panel FOLDER
//   node pictures.mjs report FOLDER REPORT.html
import { statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch, open } from './browser.mjs';
import { startRun } from './panel_run.mjs';

const most = 300000; // bytes of one image
const views = {
    light: { width: 1280, height: 1000, colorScheme: 'light' },
    dark: { width: 1280, height: 1000, colorScheme: 'dark' },
    phone: { width: 390, height: 844, colorScheme: 'light' },
    'phone-dark': { width: 390, height: 844, colorScheme: 'dark' },
};

async function keep(page, folder, name) {
    const file = path.join(folder, `${name}.png`);
    await page.screenshot({ path: file });
    const { size } = statSync(file);
    if (size > most) throw new Error(`${file} has ${size} bytes`);
    console.log(`${file}: ${size} bytes`);
}

/** Waits until everything is loaded, and removes the focus. */
async function settled(page) {
    await page.waitForFunction(() => document.getElementById('canvas').width > 300);
    await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => {}); // the event stream never ends
    await page.evaluate(() => document.activeElement.blur());
}

/** Continues the demonstration up to its `turns`-th reply and approves all actions. */
async function goOn(page, run, turns) {
    for (let turn = 1; turn < turns; ++turn) {
        run.go();
        await Promise.race([run.line(new RegExp(`^asked ${turn + 1}$`)), (async () => {
            await page.locator('.question').waitFor({ timeout: 60000 });
            await page.locator('.question .good').click();
        })()].map((it) => it.catch(() => {})));
        await run.line(new RegExp(`^asked ${turn + 1}$`));
    }
}

async function panel(browser, folder) {
    const ends = [];
    const t = { after: (end) => ends.push(end) };
    const speaking = await startRun(t, '--script', 'demo');
    const asking = await startRun(t, '--script', 'demo', '--approve', 'always');
    for (const [run, approves] of [[speaking, false], [asking, true]]) {
        const { page } = await open(browser, views.light);
        await page.goto(run.url);
        await goOn(page, run, approves ? 5 : 6);
        run.say(approves ? 'go' : 'words');
        await page.locator(approves ? '.question' : '#words.streaming').waitFor();
        await page.context().close();
    }
    for (const [name, view] of Object.entries(views)) {
        const { page } = await open(browser, view);
        const phone = name.startsWith('phone');
        await page.goto((phone ? asking : speaking).url);
        await page.locator(phone ? '.question' : '#words.streaming').waitFor();
        await settled(page);
        await keep(page, folder, `panel-${name}`);
        await page.context().close();
    }
    for (const end of ends) await end();
}

async function report(browser, folder, file) {
    for (const name of ['light', 'dark']) {
        const { page } = await open(browser, views[name]);
        await page.goto(`${pathToFileURL(file).href}#turn-3`);
        await page.waitForSelector('html[data-ready]');
        await settled(page);
        await keep(page, folder, `report-${name}`);
        await page.context().close();
    }
}

const [what, folder, file] = process.argv.slice(2);
const browser = await launch();
try {
    await (what === 'report' ? report(browser, folder, file) : panel(browser, folder));
} finally {
    await browser.close();
}
