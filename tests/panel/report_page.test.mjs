// Tests the report of a run, opened from disk. EYEHAND_REPORT_RUN names the program that makes the runs
// (tests/session/report_run).
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
    for (const kind of ['hostile', 'team', 'story', 'watched'])
        reports[kind] = execFileSync(maker, [kind, folder], { encoding: 'utf8' }).trim();
    browser = await launch();
});
after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
});

/** Opens a report and waits until it is ready. */
async function opened(kind, view = {}) {
    const it = await open(browser, view);
    const started = performance.now();
    await it.page.goto(pathToFileURL(reports[kind]).href);
    await it.page.waitForSelector('html[data-ready]');
    return { ...it, milliseconds: performance.now() - started, close: () => it.page.context().close() };
}

/** Expands the messages to the model in the shown turn, with all of its parts. */
async function expandRequest(page) {
    const expand = (selector) => page.locator(selector).evaluateAll((all) => all.forEach((it) => { it.open = true; }));
    if (await page.locator('#items .told-to-model').count() === 0) return;
    await expand('#items .told-to-model');
    await page.waitForSelector('#items .told-to-model[data-filled="true"]');
    await expand('#items .told-to-model details');
    await page.waitForFunction(() => [...document.querySelectorAll('#items .told-to-model details')].every((it) => it.dataset.filled === 'true'));
}

const heading = (page) => page.locator('#turn-title').textContent();
const isShown = (page, selector) => page.locator(selector).isVisible();

/** The color of a pixel of a canvas; `x` and `y` are fractions of its size. */
const pixel = (page, selector, x, y) => page.locator(selector).evaluate((canvas, [shareX, shareY]) => {
    const at = [Math.floor(canvas.width * shareX), Math.floor(canvas.height * shareY)];
    return [...canvas.getContext('2d').getImageData(at[0], at[1], 1, 1).data];
}, [x, y]);

/** Waits until the canvas shows a screenshot whose file matches. */
const painted = (page, selector, file = /screenshots/) => page.waitForFunction(([it, wanted]) => {
    const canvas = document.querySelector(it);
    return wanted.test(canvas.dataset.url) && canvas.getContext('2d').getImageData(5, 5, 1, 1).data[3] === 255;
}, [selector, file]);

const listed = '#turns li:visible';

describe('a report', () => {
    test('opens from disk and requests nothing else', async () => {
        const { page, requests, problems, close } = await opened('hostile');
        for (let i = 0; i < 8; ++i) await page.keyboard.press('ArrowRight');
        await painted(page, '#canvas');
        assert.deepEqual(requests.filter((it) => !it.startsWith('data:')), [pathToFileURL(reports.hostile).href]);
        assert.deepEqual(problems, []);
        await close();
    });

    test('shows scripts in task, windows, replies and results as text', async () => {
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

    test('shows invisible characters as escapes', async () => {
        const { page, problems, close } = await opened('hostile');
        const texts = [];
        for (let i = 0; i < 8; ++i) {
            texts.push(await page.locator('#items').textContent());
            await page.keyboard.press('ArrowRight');
        }
        const shown = texts.join('');
        assert.ok(shown.includes('Invisible: a\\u202ecod.exe\\udb40\\udc41'), shown);
        assert.ok(!/[\u202e\u{e0041}]/u.test(shown));
        assert.deepEqual(problems, []);
        await close();
    });

    test('shows the messages to the model, as text', async () => {
        const { page, problems, close } = await opened('hostile');
        await says(page, '#items .told-to-model summary', /^Messages to the model · request 1 · 2 messages · first request of the role$/);
        assert.equal(await page.locator('#items .told-to-model pre').count(), 0, 'texts are inserted on demand');
        await expandRequest(page);
        const told = await page.locator('#items .told-to-model').textContent();
        assert.ok(told.includes('Write a note. </script><script>window.hacked = true</script><img src=x'), told);
        assert.ok(told.includes('[screenshot of turn 1]'), 'the image');
        assert.ok(told.includes('"name":"click_element"'), 'the tools');
        await page.locator('#turns button').nth(1).click();
        await says(page, '#items .told-to-model > summary', /request 2 · \d+ messages · \d+ messages new or changed$/);
        await expandRequest(page);
        const next = await page.locator('#items .told-to-model').textContent();
        assert.match(next, /Messages 1 to 2 are the same as in request 1 \(turn 1\)/);
        assert.ok(next.includes('Write a note. </script>'), 'the same messages can be expanded');
        assert.ok(next.includes('[call click_element] {"label": "the <b>title</b>", "box": [350, 120]}'), next);
        assert.equal(await page.evaluate('window.hacked'), undefined);
        assert.equal(await page.locator('#items img, #items script, #items b').count(), 0);
        assert.deepEqual(problems, []);
        await close();
    });

    test('shows the difference from the previous prompt of the same role', async () => {
        const { page, problems, close } = await opened('team');
        await page.goto(`${pathToFileURL(reports.team).href}#turn-3`);
        await says(page, '#turn-title', 'Turn 3');
        await expandRequest(page);
        const told = page.locator('#items .told-to-model');
        assert.match(await told.textContent(), /Compared with request 2 \(turn 2\):/);
        const changed = told.locator('.messages > li[data-kind="changed"]');
        assert.equal(await changed.count(), 1);
        const added = await changed.locator('.diff ins').allTextContents();
        const removed = await changed.locator('.diff del').allTextContents();
        assert.ok(added.some((it) => it.startsWith('+ ') && it.includes('turn 3')), added.join(''));
        assert.ok(removed.some((it) => it.startsWith('− ') && it.includes('turn 2')), removed.join(''));
        assert.match(await changed.locator('.diff .gap').first().textContent(), /^… \d+ unchanged lines? …\n$/);
        // The role's instructions are the same, and the full text is there.
        assert.match(await told.locator('.same-messages > summary').textContent(), /^Message 1 is the same as in request 2 \(turn 2\)$/);
        assert.ok((await changed.locator('details pre').textContent()).includes('TASK\nClick OK. </script>'));
        assert.equal(await page.evaluate('window.hacked'), undefined);
        assert.deepEqual(problems, []);
        await close();
    });

    test('does not run an inserted script', async () => {
        const { page, problems, close } = await opened('hostile');
        await page.evaluate(() => {
            const script = document.createElement('script');
            script.textContent = 'window.hacked = true';
            document.body.append(script);
        });
        assert.equal(await page.evaluate('window.hacked'), undefined);
        assert.ok(problems.some((it) => it.includes('Content Security Policy')), 'the browser reports the policy');
        await close();
    });

    test('selects turns with the arrow keys and announces them', async () => {
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

    test('works with the keyboard alone', async () => {
        const { page, close } = await opened('hostile');
        await page.keyboard.press('ArrowRight'); // to a turn that changed the screen
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

    test('lists its own keys and none of a live run', async () => {
        const { page, close } = await opened('hostile');
        await page.keyboard.press('?');
        await page.locator('dialog#keys[open]').waitFor();
        const keys = await page.locator('#keys .keys > div:visible dd').allTextContents();
        assert.deepEqual(keys, ['previous turn, next turn; also [ ]', 'latest turn', 'show this list']);
        await close();
    });

    test('shows the level of the guard', async () => {
        const { page, close } = await opened('hostile');
        const facts = await page.locator('#about-facts').evaluate((node) => node.textContent);
        assert.match(facts, /Guardoff/);
        await close();
    });

    test('shows how the positions of the model were measured, and warns of small targets', async () => {
        const { page, problems, close } = await opened('hostile');
        const facts = await page.locator('#calibration-facts').evaluate((node) => node.textContent);
        assert.match(facts, /Positionspercent: 0 to 100/);
        assert.match(facts, /Convention of the runnorm1000/);
        assert.match(facts, /Correctionnone/);
        assert.match(facts, /Error \(median\)7\.1\/1000 of the image, 21\.5 without correction/);
        assert.match(facts, /Small targets6 of 10, 60 % \(31 to 83 %\)/);
        assert.match(facts, /later turns10 of 10/);
        assert.match(facts, /Measured2025-11-26, Eyehand <\/script><script>/);
        assert.equal(await page.locator('#calibration-warnings').textContent(),
            '60 % of clicks on small targets (up to 16 pixels) are expected to hit (31 to 83 %).');
        const rows = await page.locator('#calibration-rates tbody tr').evaluateAll((all) => all.map((row) => row.textContent));
        assert.deepEqual(rows, ['8 px2 of 540 %12 to 77 %', '16 px4 of 580 %38 to 96 %', '96 px5 of 5100 %57 to 100 %']);
        assert.equal(await page.evaluate('window.hacked'), undefined);
        assert.deepEqual(problems, []);
        await close();
    });

    test('has no calibration if the run has none', async () => {
        const { page, close } = await opened('team');
        assert.equal(await isShown(page, '#calibration'), false);
        await close();
    });

    test('has no parts of a live run', async () => {
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

    test('does not intercept keys that select text or scroll', async () => {
        const { page, close } = await opened('hostile');
        await page.keyboard.press('Shift+ArrowRight');
        assert.equal(await heading(page), 'Turn 1');
        await page.locator('#cost summary').click();
        await page.locator('#cost .scroll').focus();
        await page.keyboard.press('ArrowRight');
        assert.equal(await heading(page), 'Turn 1');
        await close();
    });

    test('does not scroll on a phone when another turn is selected', async () => {
        const { page, close } = await opened('hostile', { width: 390, height: 844 });
        const before = await page.evaluate(() => scrollY);
        await page.locator('#next').click();
        assert.equal(await heading(page), 'Turn 2');
        assert.equal(await page.evaluate(() => scrollY), before);
        await close();
    });

    test('reports an unreadable screenshot and shows no other in its place', async () => {
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
        await says(page, '#no-picture', 'This screenshot cannot be shown.');
        assert.equal(await isShown(page, '#screen'), false);
        await page.locator('#turns button').first().click();
        await page.locator('#screen').waitFor();
        await painted(page, '#canvas', /turn_0001/);
        assert.deepEqual(problems, []);
        await page.context().close();
    });

    test('shows only turns with failures on request', async () => {
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

    test('compares before and after with the keyboard and marks changed regions', async () => {
        const { page, close } = await opened('hostile');
        await page.keyboard.press('ArrowRight');
        await painted(page, '#canvas');
        await painted(page, '#after');
        const shown = () => page.locator('#later').evaluate((it) => it.style.clipPath);
        const initially = await shown();
        assert.ok(initially.includes('100%'), initially);
        await page.locator('#slider').focus();
        await page.keyboard.press('ArrowRight');
        assert.equal(await heading(page), 'Turn 2', 'arrow keys on the slider move the slider');
        assert.notEqual(await shown(), initially);
        assert.ok(await isShown(page, '#divider'));
        await page.keyboard.press('End');
        assert.equal(await page.locator('#slider').getAttribute('aria-valuetext'), 'after');
        assert.ok((await page.locator('#changes .change').count()) > 0);
        // One more line was written.
        assert.notDeepEqual(await pixel(page, '#canvas', 0.1133, 0.238), await pixel(page, '#after', 0.1133, 0.238));
        await page.locator('#show-changes').uncheck();
        await page.locator('#changes').waitFor({ state: 'hidden' });
        await close();
    });

    test('shows requests that were sent again and calls that were refused because the screen had changed', async () => {
        const { page, close } = await opened('watched');
        const items = await page.locator('#items').innerText();
        assert.match(items, /screen changed within \d+ ms after the request: the model is asked again/);
        assert.match(items, /The screen at the target has changed since your screenshot/);
        // The canceled request was sent, and the reply belongs to the second one.
        assert.equal(await page.locator('#items .told-to-model').count(), 2);
        assert.doesNotMatch(items, /not sent/);
        assert.match(items, /I click\./);
        await close();
    });

    test('shows the targets of actions, and hides them on request', async () => {
        const { page, close } = await opened('hostile');
        assert.equal(await page.locator('#marks .target').count(), 1);
        await says(page, '#caption', 'target 1 at 350, 120');
        await says(page, '#caption', 'a part is blacked out for the model');
        await page.locator('#show-targets').uncheck();
        await page.locator('#marks .target').waitFor({ state: 'detached' });
        await page.locator('#show-targets').check();
        await page.locator('#marks .target').waitFor();
        for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowRight');
        assert.equal(await page.locator('#marks .target').count(), 2, 'a drag has two ends');
        assert.equal(await page.locator('#strokes polyline').count(), 1);
        await close();
    });

    test('draws the heat of earlier turns, and hides it on request', async () => {
        const { page, close } = await opened('hostile');
        await painted(page, '#canvas');
        const plain = await pixel(page, '#canvas', 0.35, 0.12);
        await page.keyboard.press('ArrowRight');
        const differs = (wanted) => page.waitForFunction(([color, other]) => {
            const canvas = document.querySelector('#canvas');
            const at = [Math.floor(canvas.width * 0.35), Math.floor(canvas.height * 0.12)];
            return ([...canvas.getContext('2d').getImageData(at[0], at[1], 1, 1).data].join() !== color.join()) === other;
        }, [plain, wanted]);
        await differs(true);
        await page.locator('#show-heat').uncheck();
        await differs(false);
        await close();
    });

    test('annotates the screenshot of a visual loop as the model saw it', async () => {
        const { page, problems, close } = await opened('story');
        await page.locator('#turns button').nth(2).click();
        await painted(page, '#canvas', /turn_0002/);
        const annotated = await pixel(page, '#canvas', 0.3, 0.3); // within a box
        await page.locator('#show-heat').uncheck();
        await page.waitForFunction(([color]) => {
            const canvas = document.querySelector('#canvas');
            const at = [Math.floor(canvas.width * 0.3), Math.floor(canvas.height * 0.3)];
            return [...canvas.getContext('2d').getImageData(at[0], at[1], 1, 1).data].join() !== color.join();
        }, [annotated]);
        assert.deepEqual(problems, []);
        await close();
    });

    for (const view of views)
        test(`is accessible and fits: ${nameOf(view)}`, async () => {
            for (const kind of ['hostile', 'team', 'story', 'watched']) {
                const { page, close } = await opened(kind, view);
                await page.locator('details').evaluateAll((all) => all.forEach((it) => { it.open = true; }));
                const turns = await page.locator('#turns button').count();
                for (const turn of [0, 4, turns - 1]) {
                    await page.locator('#turns button').nth(Math.min(turn, turns - 1)).click();
                    await expandRequest(page);
                    await assertFits(page);
                    await assertAccessible(page);
                }
                await close();
            }
        });

    test('with fifty turns of photographs stays below 15 MB and shows them', async (t) => {
        reports.photos = execFileSync(maker, ['photos', folder], { encoding: 'utf8' }).trim();
        const bytes = statSync(reports.photos).size;
        assert.ok(bytes < 15e6, `${bytes} bytes`);
        const { page, problems, milliseconds, close } = await opened('photos');
        await painted(page, '#canvas', /turn_0001/);
        t.diagnostic(`${(bytes / 1e6).toFixed(1)} MB, opened in ${milliseconds.toFixed(0)} ms`);
        await page.keyboard.press('ArrowRight');
        await says(page, '#turn-title', /^Turn 2$/);
        await says(page, '#caption', 'the original is screenshots/turn_0002.png');
        // The background of the window is nearly white in a reduced image.
        await painted(page, '#canvas', /turn_0002/);
        const [red, green, blue] = await pixel(page, '#canvas', 0.55, 0.6);
        assert.ok(Math.min(red, green, blue) > 235, `${red}, ${green}, ${blue}`);
        assert.deepEqual(problems, []);
        await close();
    });
});
