// The report of a run, opened from disk as its readers open it. EYEHAND_REPORT_RUN names the program that makes
// the runs (tests/session/report_run).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { assertAccessible, assertFits, launch, nameOf, open, views } from './browser.mjs';
import { says } from './panel_run.mjs';

const maker = process.env.EYEHAND_REPORT_RUN;
assert.ok(maker, 'EYEHAND_REPORT_RUN is not set: ctest sets it');

let folder;
let browser;
const reports = {};

before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'eyehand-report-'));
    for (const kind of ['hostile', 'story'])
        reports[kind] = execFileSync(maker, [kind, folder], { encoding: 'utf8' }).trim();
    browser = await launch();
});
after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
});

/** The report of a run, ready; `page` and what it asked for. */
async function opened(kind, view = {}) {
    const it = await open(browser, view);
    const started = performance.now();
    await it.page.goto(pathToFileURL(reports[kind]).href);
    await it.page.waitForSelector('html[data-ready]');
    return { ...it, milliseconds: performance.now() - started, close: () => it.page.context().close() };
}

const heading = (page) => page.locator('#turn-title').textContent();
const isShown = (page, selector) => page.locator(selector).isVisible();

/** The colour of a canvas's pixel, at shares of its size. */
const pixel = (page, selector, x, y) => page.locator(selector).evaluate((canvas, [shareX, shareY]) => {
    const at = [Math.floor(canvas.width * shareX), Math.floor(canvas.height * shareY)];
    return [...canvas.getContext('2d').getImageData(at[0], at[1], 1, 1).data];
}, [x, y]);

/** Waits until the canvas shows a picture whose file is like this. */
const painted = (page, selector, file = /screenshots/) => page.waitForFunction(([it, wanted]) => {
    const canvas = document.querySelector(it);
    return wanted.test(canvas.dataset.url) && canvas.getContext('2d').getImageData(5, 5, 1, 1).data[3] === 255;
}, [selector, file]);

const listed = '#turns li:visible';

describe('a report', () => {
    test('opens from disk and asks for nothing else', async () => {
        const { page, requests, problems, close } = await opened('hostile');
        for (let i = 0; i < 8; ++i) await page.keyboard.press('ArrowRight');
        await painted(page, '#canvas');
        assert.deepEqual(requests.filter((it) => !it.startsWith('data:')), [pathToFileURL(reports.hostile).href]);
        assert.deepEqual(problems, []);
        await close();
    });

    test('shows scripts in the task, in windows, words and results as text', async () => {
        const { page, problems, close } = await opened('hostile');
        const markup = '<script>window.hacked = true</script>';
        assert.ok((await page.locator('#task').textContent()).includes(markup));
        assert.ok((await page.locator('#outcome-why').textContent()).includes(markup));
        const texts = [];
        for (let i = 0; i < 8; ++i) {
            await page.locator('#items details').evaluateAll((all) => all.forEach((it) => { it.open = true; }));
            texts.push(await page.locator('#items').textContent());
            await page.keyboard.press('ArrowRight');
        }
        assert.ok(texts[0].includes(`I see a window. </script>${markup}`), 'words');
        assert.ok(texts[0].includes(`The title is odd: </script>${markup}`), 'reasoning');
        assert.ok(texts[2].includes(`</script>${markup}`), 'arguments');
        assert.ok(texts[3].includes(`Notes </script>${markup}`), 'a window\'s title in a result');
        assert.equal(await page.evaluate('window.hacked'), undefined);
        assert.equal(await page.locator('img').count(), 0);
        assert.equal(await page.locator('script').count(), 4);
        assert.deepEqual(problems, []);
        await close();
    });

    test('would not run a script that got in all the same', async () => {
        const { page, problems, close } = await opened('hostile');
        await page.evaluate(() => {
            const script = document.createElement('script');
            script.textContent = 'window.hacked = true';
            document.body.append(script);
        });
        assert.equal(await page.evaluate('window.hacked'), undefined);
        assert.ok(problems.some((it) => it.includes('Content Security Policy')), 'the browser says why');
        await close();
    });

    test('goes from turn to turn with the arrow keys and tells where it is', async () => {
        const { page, close } = await opened('hostile');
        assert.equal(await heading(page), 'Turn 1');
        await page.keyboard.press('ArrowLeft');
        assert.equal(await heading(page), 'Turn 1');
        await page.keyboard.press('ArrowRight');
        assert.equal(await heading(page), 'Turn 2');
        await says(page, '#announce', /^Turn 2: observe_screen, .*2 of 8\.$/);
        assert.equal(await page.locator('#turns [aria-current] .number').textContent(), 'Turn 2');
        for (let i = 0; i < 10; ++i) await page.keyboard.press('ArrowRight');
        assert.equal(await heading(page), 'Turn 8');
        assert.ok(await page.locator('#next').isDisabled());
        await page.keyboard.press('ArrowLeft');
        assert.equal(await heading(page), 'Turn 7');
        assert.match(page.url(), /#turn-7$/);
        await close();
    });

    test('is worked with the keyboard alone', async () => {
        const { page, close } = await opened('hostile');
        await page.keyboard.press('ArrowRight'); // to a turn that changed something
        await page.keyboard.press('Tab');
        assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
        const visited = new Set();
        for (let i = 0; i < 40; ++i) {
            await page.keyboard.press('Tab');
            visited.add(await page.evaluate(() => document.activeElement.id ||
                (document.activeElement.closest('#turns') ? 'turns' : document.activeElement.tagName)));
        }
        for (const wanted of ['only-failures', 'turns', 'next', 'slider', 'show-heat', 'show-targets', 'show-changes', 'show-keys', 'SUMMARY'])
            assert.ok(visited.has(wanted), `${wanted} is not reached: ${[...visited].join(', ')}`);
        await page.locator('#turns button').nth(2).focus();
        await page.keyboard.press('Enter');
        assert.equal(await heading(page), 'Turn 3');
        await page.keyboard.press('ArrowRight');
        assert.equal(await page.evaluate(() => document.activeElement.querySelector('.number').textContent), 'Turn 4');
        await close();
    });

    test('lists the keys that it has, and none of those of a run that goes on', async () => {
        const { page, close } = await opened('hostile');
        await page.keyboard.press('?');
        await page.locator('dialog#keys[open]').waitFor();
        const keys = await page.locator('#keys .keys > div:visible dd').allTextContents();
        assert.deepEqual(keys, ['the turn before, the turn after; also [ ]', 'the latest turn', 'this list']);
        await close();
    });

    test('has no part of a run that goes on', async () => {
        const { page, close } = await opened('hostile');
        for (const part of ['#controls', '#tell', '#inject', '.question', '#live', '#link-notice'])
            assert.equal(await isShown(page, part), false, part);
        await close();
    });

    test('opens at the turn that its address names', async () => {
        const { page, close } = await opened('hostile');
        await page.goto(`${pathToFileURL(reports.hostile).href}#turn-6`);
        await says(page, '#turn-title', 'Turn 6');
        await page.reload();
        assert.equal(await heading(page), 'Turn 6');
        await close();
    });

    test('ignores a turn in its address that the run does not have', async () => {
        const { page, close } = await opened('hostile');
        await page.keyboard.press('ArrowRight');
        await page.goto(`${pathToFileURL(reports.hostile).href}#turn-999`);
        await says(page, '#turn-title', 'Turn 2');
        await close();
    });

    test('leaves keys that select text and scroll alone', async () => {
        const { page, close } = await opened('hostile');
        await page.keyboard.press('Shift+ArrowRight');
        assert.equal(await heading(page), 'Turn 1');
        await page.locator('#cost summary').click();
        await page.locator('#cost .scroll').focus();
        await page.keyboard.press('ArrowRight');
        assert.equal(await heading(page), 'Turn 1');
        await close();
    });

    test('stays where it is on a phone when another turn is shown', async () => {
        const { page, close } = await opened('hostile', { width: 390, height: 844 });
        const before = await page.evaluate(() => scrollY);
        await page.locator('#next').click();
        assert.equal(await heading(page), 'Turn 2');
        assert.equal(await page.evaluate(() => scrollY), before);
        await close();
    });

    test('says that a picture cannot be shown, and shows no other in its place', async () => {
        const html = readFileSync(reports.hostile, 'utf8');
        const [, second] = html.match(/"data:image\/png;base64,[^"]+"/g);
        const broken = join(folder, 'broken.html');
        writeFileSync(broken, html.replace(second, '"data:image/png;base64,iVBORw0KGgo="'));
        const { page, problems } = await open(browser);
        await page.goto(pathToFileURL(broken).href);
        await page.waitForSelector('html[data-ready]');
        await painted(page, '#canvas');
        await page.locator('#turns button').last().click();
        for (let i = 0; i < 8 && !(await isShown(page, '#no-picture')); ++i) await page.keyboard.press('ArrowLeft');
        await says(page, '#no-picture', 'This picture cannot be shown.');
        assert.equal(await isShown(page, '#screen'), false);
        await page.locator('#turns button').first().click();
        await page.locator('#screen').waitFor();
        await painted(page, '#canvas', /turn_0001/);
        assert.deepEqual(problems, []);
        await page.context().close();
    });

    test('shows the failures only where that is wished', async () => {
        const { page, close } = await opened('hostile');
        assert.equal(await page.locator('#turns li.failed').count(), 1);
        assert.match(await page.locator('#turns li.failed').textContent(), /failed/);
        await page.locator('#only-failures').check();
        assert.equal(await page.locator(listed).count(), 1);
        assert.equal(await heading(page), 'Turn 5');
        assert.ok(await isShown(page, '.item.failed'));
        await page.keyboard.press('ArrowRight');
        assert.equal(await heading(page), 'Turn 5');
        await page.locator('#only-failures').uncheck();
        assert.equal(await page.locator(listed).count(), 8);
        await page.keyboard.press('ArrowRight');
        assert.equal(await heading(page), 'Turn 6');
        await close();
    });

    test('compares before and after by the keyboard, changed regions marked', async () => {
        const { page, close } = await opened('hostile');
        await page.keyboard.press('ArrowRight');
        await painted(page, '#canvas');
        await painted(page, '#after');
        const shown = () => page.locator('#later').evaluate((it) => it.style.clipPath);
        const initially = await shown();
        assert.ok(initially.includes('100%'), initially);
        await page.locator('#slider').focus();
        await page.keyboard.press('ArrowRight');
        assert.equal(await heading(page), 'Turn 2', 'on the slider the keys move the slider');
        assert.notEqual(await shown(), initially);
        assert.ok(await isShown(page, '#divider'));
        await page.keyboard.press('End');
        assert.equal(await page.locator('#slider').getAttribute('aria-valuetext'), 'after');
        assert.ok((await page.locator('#changes .change').count()) > 0);
        // One line more was written.
        assert.notDeepEqual(await pixel(page, '#canvas', 0.1133, 0.238), await pixel(page, '#after', 0.1133, 0.238));
        await page.locator('#show-changes').uncheck();
        await page.locator('#changes').waitFor({ state: 'hidden' });
        await close();
    });

    test('shows where actions went, and not when that is not wished', async () => {
        const { page, close } = await opened('hostile');
        assert.equal(await page.locator('#marks .target').count(), 1);
        await says(page, '#caption', 'target 1 at 350, 120');
        await page.locator('#show-targets').uncheck();
        await page.locator('#marks .target').waitFor({ state: 'detached' });
        await page.locator('#show-targets').check();
        await page.locator('#marks .target').waitFor();
        for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowRight');
        assert.equal(await page.locator('#marks .target').count(), 2, 'a drag has two ends');
        assert.equal(await page.locator('#strokes polyline').count(), 1);
        await close();
    });

    test('draws the heat of the turns before, and not when that is not wished', async () => {
        const { page, close } = await opened('hostile');
        await painted(page, '#canvas');
        const plain = await pixel(page, '#canvas', 0.35, 0.12);
        await page.keyboard.press('ArrowRight');
        const differs = (wanted) => page.waitForFunction(([colour, other]) => {
            const canvas = document.querySelector('#canvas');
            const at = [Math.floor(canvas.width * 0.35), Math.floor(canvas.height * 0.12)];
            return ([...canvas.getContext('2d').getImageData(at[0], at[1], 1, 1).data].join() !== colour.join()) === other;
        }, [plain, wanted]);
        await differs(true);
        await page.locator('#show-heat').uncheck();
        await differs(false);
        await close();
    });

    test('draws over a visual loop\'s picture what the model saw there', async () => {
        const { page, problems, close } = await opened('story');
        await page.locator('#turns button').nth(2).click();
        await painted(page, '#canvas', /turn_0002/);
        const annotated = await pixel(page, '#canvas', 0.3, 0.3); // within a box
        await page.locator('#show-heat').uncheck();
        await page.waitForFunction(([colour]) => {
            const canvas = document.querySelector('#canvas');
            const at = [Math.floor(canvas.width * 0.3), Math.floor(canvas.height * 0.3)];
            return [...canvas.getContext('2d').getImageData(at[0], at[1], 1, 1).data].join() !== colour.join();
        }, [annotated]);
        assert.deepEqual(problems, []);
        await close();
    });

    for (const view of views)
        test(`is accessible and fits: ${nameOf(view)}`, async () => {
            for (const kind of ['hostile', 'story']) {
                const { page, close } = await opened(kind, view);
                await page.locator('details').evaluateAll((all) => all.forEach((it) => { it.open = true; }));
                const turns = await page.locator('#turns button').count();
                for (const turn of [0, 4, turns - 1]) {
                    await page.locator('#turns button').nth(Math.min(turn, turns - 1)).click();
                    await assertFits(page);
                    await assertAccessible(page);
                }
                await close();
            }
        });

    test('of fifty turns of photographs stays below 15 MB and shows them', async (t) => {
        reports.photos = execFileSync(maker, ['photos', folder], { encoding: 'utf8' }).trim();
        const bytes = statSync(reports.photos).size;
        assert.ok(bytes < 15e6, `${bytes} bytes`);
        const { page, problems, milliseconds, close } = await opened('photos');
        await painted(page, '#canvas', /turn_0001/);
        t.diagnostic(`${(bytes / 1e6).toFixed(1)} MB, opened in ${milliseconds.toFixed(0)} ms`);
        await page.keyboard.press('ArrowRight');
        await says(page, '#turn-title', /^Turn 2$/);
        await says(page, '#caption', 'the original is screenshots/turn_0002.png');
        // The window's paper is nearly white in a picture that was made smaller.
        await painted(page, '#canvas', /turn_0002/);
        const [red, green, blue] = await pixel(page, '#canvas', 0.55, 0.6);
        assert.ok(Math.min(red, green, blue) > 235, `${red}, ${green}, ${blue}`);
        assert.deepEqual(problems, []);
        await close();
    });
});
