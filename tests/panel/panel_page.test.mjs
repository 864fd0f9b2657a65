// Tests the panel's page in Chromium with runs of eyehand-panel-run.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { assertAccessible, assertFits, launch, nameOf, open, patience, views } from './browser.mjs';
import { openPanel, says, startRun } from './panel_run.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function opened(t, ...args) {
    const run = await startRun(t, ...args);
    return { run, ...await openPanel(t, browser, run) };
}

const item = (page, turn) => page.locator(`#turns li[data-turn="${turn}"] button`);

/** Collects every non-empty text that an element has from now on. */
async function textsOf(page, selector) {
    return page.evaluateHandle((wanted) => {
        const node = document.querySelector(wanted);
        const heard = [];
        new MutationObserver(() => {
            if (node.textContent !== '') heard.push(node.textContent);
        }).observe(node, { childList: true, characterData: true, subtree: true });
        return heard;
    }, selector);
}

/** Waits until a screenshot whose address matches `url` is drawn: its canvas has more than one color. */
async function pictureIsDrawn(page, url) {
    await page.waitForFunction((wanted) => {
        const canvas = document.getElementById('canvas');
        if (!wanted.test(canvas.dataset.url)) return false;
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        const first = data.slice(0, 3).join();
        for (let i = 0; i < data.length; i += 400) if (data.slice(i, i + 3).join() !== first) return true;
        return false;
    }, url);
}

/** Presses Tab until the element has the focus. */
async function tabTo(page, selector) {
    for (let i = 0; i < 60; ++i) {
        if (await page.evaluate((wanted) => document.activeElement.matches(wanted), selector)) return;
        await page.keyboard.press('Tab');
    }
    assert.fail(`Tab does not reach ${selector}`);
}

test('a turn shows its screenshot, reply, call and numbers', async (t) => {
    const { page, run, problems } = await opened(t);
    await says(page, '#task', 'click the button');
    await says(page, '#facts', 'observer');
    await pictureIsDrawn(page, /\/picture\//);
    run.go();
    await says(page, '#stage-title', 'Turn 2'); // otherwise the page may still follow turn 1
    await item(page, 1).click();
    await says(page, '#items', 'In turn 1 I click the button.');
    await says(page, '#items .tool', 'click_element');
    await says(page, '#items .arguments', '{"label": "OK", "box": [230, 290]}');
    await says(page, '#items .call .chip', 'ok');
    await says(page, '#items .result', '"ok"');
    await says(page, '#turn-facts', 'tokens');
    await says(page, '#items .reasoning', 'Reasoning');
    assert.equal(await page.locator('#marks .target').count(), 1);
    assert.match(await page.locator('#canvas').getAttribute('aria-label'), /target 1 at 230, 290/);
    assert.equal(await page.locator('#table tbody tr').first().locator('td').nth(3).textContent(), '2,460');
    assert.deepEqual(problems, []);
});

test('a turn shows the messages to the model, and the changes since the previous request of the role', async (t) => {
    const { page, run, problems } = await opened(t, '--profile', 'commander');
    for (let reply = 2; reply <= 3; ++reply) {
        run.go();
        await run.line(new RegExp(`^asked ${reply}$`));
    }
    await says(page, '#stage-title', 'Turn 3');
    const told = page.locator('#items .told-to-model');
    await says(page, '#items .told-to-model > summary', 'request 3');
    const requested = page.waitForRequest(/\/prompt\//);
    await told.locator('> summary').click();
    await requested;
    await says(page, '#items .told-to-model .diff ins', 'turn 3');
    await says(page, '#items .told-to-model .diff del', 'turn 2');
    await told.locator('.same-messages > summary').click();
    await says(page, '#items .same-messages pre', 'You are the operator');
    // It stays expanded while the turn goes on.
    run.go();
    await run.line(/^asked 4$/);
    await says(page, '#stage-title', 'Turn 4'); // the page would go on from the latest turn to it
    await item(page, 3).click();
    await says(page, '#items .told-to-model > summary', 'request 3');
    assert.deepEqual(problems, []);
});

test('a text of a request that is missing is reported', async (t) => {
    const { page } = await opened(t);
    await page.route('**/prompt/**', (route) => route.fulfill({ status: 404, body: 'not found' }));
    await page.locator('#items .told-to-model > summary').click();
    await says(page, '#items .told-to-model pre', 'This text is missing or was changed.');
});

test('texts that could not be loaded are loaded when the section is expanded again', async (t) => {
    const { page } = await opened(t);
    await page.route('**/prompt/**', (route) => route.abort());
    const summary = page.locator('#items .told-to-model > summary');
    await summary.click();
    await says(page, '#items .told-to-model', 'The texts cannot be loaded.');
    await page.unroute('**/prompt/**');
    await summary.click();
    await summary.click();
    await says(page, '#items .told-to-model pre', 'click the button');
});

test('during a request the screenshot shows the target of the previous action', async (t) => {
    const { page, run } = await opened(t);
    run.go();
    await says(page, '#stage-title', 'Turn 2');
    await says(page, '#caption', 'target 1 at 230, 290');
    assert.equal(await page.locator('#marks .target').count(), 1);
});

test('a reply is shown while it streams in', async (t) => {
    const { page, run } = await opened(t);
    await run.line(/^asked 1$/);
    run.say('words');
    await says(page, '#words.streaming', /^In turn 1 I c/);
    assert.equal((await page.locator('#words').textContent()).length, 'In turn 1 I click the button.'.length >> 1);
    run.go();
    await run.line(/^asked 2$/);
    await says(page, '#stage-title', 'Turn 2');
    await item(page, 1).click();
    await says(page, '#items', 'In turn 1 I click the button.');
});

test('pause holds the run, a step executes one command, and resume continues the run', async (t) => {
    const { page, run } = await opened(t);
    await run.line(/^asked 1$/);
    await page.getByRole('button', { name: 'Pause' }).click();
    await says(page, '#phase', '(pausing)');
    run.go();
    await says(page, '#phase', /^paused$/);
    assert.equal(run.count(/^pressed/), 0);
    await page.getByRole('button', { name: 'Step' }).click();
    await run.line(/^pressed 184 174$/); // the call, and nothing after it
    await says(page, '#items .call .chip', 'ok');
    await says(page, '#phase', /^paused$/);
    assert.equal(run.count(/^asked/), 1);
    await page.getByRole('button', { name: 'Resume' }).click();
    await run.line(/^asked 2$/);
    await says(page, '#announce', 'The run continues.');
});

test('a message of the user reaches the agent', async (t) => {
    const { page, run } = await opened(t);
    await run.line(/^asked 1$/);
    await page.keyboard.press('/');
    await page.keyboard.type('The file is called pass.txt.');
    await page.keyboard.press('Enter');
    await says(page, '#tell-told', 'Sent.');
    assert.equal(await page.locator('#tell-text').inputValue(), '');
    run.go();
    await run.line(/^asked 2$/);
    await says(page, '#stage-title', 'Turn 2');
    await item(page, 1).click();
    await says(page, '#items', 'The file is called pass.txt.');
});

test('each of two equal messages is confirmed', async (t) => {
    const { page, run } = await opened(t);
    await run.line(/^asked 1$/);
    const announced = await textsOf(page, '#announce');
    for (const times of [1, 2]) {
        await page.locator('#tell-text').fill('Hurry.');
        await page.locator('#tell-text').press('Enter');
        await page.waitForFunction(([texts, wanted]) => texts.length >= wanted, [announced, times]);
    }
    assert.deepEqual(new Set(await announced.jsonValue()), new Set(['Sent. The model receives the message with its next request.']));
});

test('a failed command is shown as an alert', async (t) => {
    const { page, run } = await opened(t);
    await run.line(/^asked 1$/);
    await page.route('**/pause', (route) => route.abort());
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('alert').filter({ hasText: 'The command failed' }).waitFor();
});

test('letters typed into a text box are not shortcuts', async (t) => {
    const { page, run } = await opened(t);
    await run.line(/^asked 1$/);
    await says(page, '#phase', /^asking the model$/);
    await page.locator('#tell-text').fill('');
    await page.locator('#tell-text').pressSequentially('pspX[l?');
    assert.equal(await page.locator('#tell-text').inputValue(), 'pspX[l?');
    await says(page, '#phase', /^asking the model$/);
    assert.equal(await page.locator('#keys[open]').count(), 0);
});

test('without a boot reply the run waits until the page supplies one', async (t) => {
    const { page, run } = await opened(t, '--profile', 'story', '--boot', 'none');
    await says(page, '#phase', 'waiting for a reply');
    await says(page, '#inject-hint', 'waits for its first reply');
    await page.keyboard.press('i');
    await page.keyboard.type('{"observation":"I begin.","bboxes":[],"actions":[{"name":"click","x1":500,"y1":500}]}');
    await page.getByRole('button', { name: 'Inject the reply' }).click();
    await run.line(/^pressed 400 300$/);
    await run.line(/^asked 1$/);
});

test('the page annotates the screenshots of a visual loop until it ends', async (t) => {
    const { page, run, problems } = await opened(t, '--profile', 'story', '--annotate', 'panel', '--turns', '4');
    run.go(5);
    assert.equal(await run.line(/^finished/), 'finished completed');
    await says(page, '#outcome', 'It is done.');
    assert.equal(await page.locator('#draw-notice').isVisible(), false);
    assert.deepEqual(problems, []);
});

test('a missing screenshot is not reported as a problem', async (t) => {
    const { page, run } = await opened(t, '--profile', 'story', '--annotate', 'panel', '--turns', '2');
    await run.line(/^asked 1$/);
    const complaints = await textsOf(page, '#draw-notice');
    let misses = 0; // of the annotator and of the stage
    const missed = page.waitForResponse((answer) => answer.status() === 404 && ++misses === 2);
    await page.route('**/picture/**', (route) => route.fulfill({ status: 404 }));
    run.go();
    await says(page, '#phase', 'waiting for the annotation');
    await missed;
    assert.deepEqual(await complaints.jsonValue(), []);
    await page.unroute('**/picture/**');
    await page.reload();
    run.go(2);
    assert.equal(await run.line(/^finished/), 'finished completed');
});

test('two windows of the page do not interfere, and a reloaded window continues', async (t) => {
    const run = await startRun(t, '--profile', 'story', '--annotate', 'panel', '--turns', '6');
    await run.line(/^http/);
    const first = await openPanel(t, browser, run);
    run.go(3);
    await run.line(/^asked 3$/);
    const second = await openPanel(t, browser, run);
    await first.page.reload();
    run.go(4);
    assert.equal(await run.line(/^finished/), 'finished completed');
    for (const { page } of [first, second]) {
        await says(page, '#outcome', 'Completed');
        assert.equal(await page.locator('#draw-notice').isVisible(), false);
    }
});

test('an action that requires approval is executed after approval', async (t) => {
    const { page, run } = await opened(t, '--approve', 'always');
    run.go();
    const card = page.getByRole('region', { name: 'Allow click_element?' });
    await card.waitFor();
    assert.equal(run.count(/^pressed/), 0);
    await says(page, '#announce', 'An action requires approval');
    assert.ok(await card.evaluate((node) => node === document.activeElement), 'the card does not have the focus');
    assert.equal(await page.locator('#marks .asked').count(), 1);
    assert.match(await page.title(), /^\(!\)/);
    await page.locator('.question[data-ready]').waitFor();
    await page.keyboard.press('a');
    await run.line(/^pressed 184 174$/);
    await card.waitFor({ state: 'detached' });
});

test('a key that is pressed when an approval request appears decides nothing', async (t) => {
    const { page, run } = await opened(t, '--approve', 'always');
    await page.evaluate(() => document.addEventListener('focusin', ({ target }) => {
        if (target.matches('.question')) target.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
    }));
    run.go();
    await page.locator('.question:focus[data-ready]').waitFor();
    await page.keyboard.press('d');
    await run.line(/^asked 2$/);
    assert.equal(run.count(/^pressed/), 0);
});

test('a hidden tab announces an approval request and shows the reply that arrived meanwhile', async (t) => {
    const { page, run } = await opened(t, '--approve', 'always');
    await run.line(/^asked 1$/);
    await says(page, '#reasoning-box', /./); // the page draws nothing more until the next cue
    await page.evaluate(() => { // as in a browser: no frames, not even the one requested before
        globalThis.asked = 0;
        globalThis.requestAnimationFrame = () => ++globalThis.asked;
    });
    run.say('words');
    await page.waitForFunction(() => globalThis.asked > 0, null, { polling: 20 });
    const leave = (hidden) => page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
    await leave(true);
    await says(page, '#words.streaming', /^In turn 1 I c/);
    run.go();
    await page.locator('.question').waitFor();
    await says(page, '#announce', 'An action requires approval');
    assert.match(await page.title(), /^\(!\)/);
});

test('a denied action is not executed, and the model receives the reason', async (t) => {
    const { page, run } = await opened(t, '--approve', 'always');
    run.go();
    const card = page.getByRole('region', { name: 'Allow click_element?' });
    await card.getByLabel('Reason for denying').fill('Not that one, please.');
    await card.getByRole('button', { name: 'Deny' }).click();
    await run.line(/^asked 2$/);
    assert.equal(run.count(/^pressed/), 0);
    await says(page, '#stage-title', 'Turn 2');
    await item(page, 1).click();
    await says(page, '#items .result', 'Not that one, please.');
    await says(page, '#items .call .chip', 'failed');
});

test('an approval request does not take the focus while the user types', async (t) => {
    const { page, run } = await opened(t, '--approve', 'always');
    await page.locator('#tell-text').waitFor();
    await page.locator('#tell-text').focus();
    run.go();
    await page.getByRole('region', { name: 'Allow click_element?' }).waitFor();
    await page.keyboard.type('a');
    assert.equal(await page.locator('#tell-text').inputValue(), 'a');
    assert.equal(run.count(/^pressed/), 0);
});

test('stop ends the run at the next safe point', async (t) => {
    const { page, run } = await opened(t, '--approve', 'always');
    run.go();
    await page.getByRole('region', { name: 'Allow click_element?' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    assert.equal(await run.line(/^finished/), 'finished cancelled');
    assert.equal(run.count(/^pressed/), 0);
    await says(page, '#outcome', 'Stopped');
    await says(page, '#announce', 'The run has ended');
    assert.equal(await page.locator('#controls').isVisible(), false);
    assert.equal(await page.locator('#tell').isVisible(), false);
    assert.equal(await page.locator('.question').count(), 0);
});

test('a long action completes after the first stop and is interrupted by the second one', async (t) => {
    const { page, run } = await opened(t, '--profile', 'story', '--drag', 'slow');
    run.go();
    await run.line(/^pressed 720 510|^pressed 184 174$/);
    await says(page, '#items .tool', 'drag');
    await says(page, '#phase', 'acting');
    await page.keyboard.press('Shift+X');
    await says(page, '#phase', 'acting (stopping)');
    await page.getByRole('button', { name: 'Stop now' }).click();
    assert.equal(await run.line(/^finished/), 'finished cancelled');
});

for (const profile of ['observer', 'story'])
    test(`HTML in foreign text stays text: ${profile}`, async (t) => {
        const { page, run, problems } = await opened(t, '--script', 'markup', '--profile', profile);
        await says(page, '#task', '<script>');
        run.go(4);
        await run.line(/^finished/);
        await says(page, '#outcome', '<img src=x');
        for (const turn of profile === 'story' ? [2, 3] : [1, 2, 3, 4]) { // the first turn of story is its boot reply
            await item(page, turn).click();
            await says(page, '#items', '<script>');
        }
        if (profile === 'observer') {
            await item(page, 1).click();
            await says(page, '#items .result', '1. <script>'); // a window's title
            await says(page, '#items .reasoning', '<script>');
        }
        assert.equal(await page.locator('main script, main img, main b b, h1 script, .notices img').count(), 0);
        assert.notEqual(await page.title(), 'taken');
        assert.deepEqual(problems, []);
    });

/** The characters of the page, and of its attributes, that a reader does not see. */
async function invisibleOn(page) {
    return page.evaluate(() => {
        const invisible = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029]/u;
        const found = [document.title, document.body.textContent].filter((text) => invisible.test(text));
        for (const node of document.querySelectorAll('*'))
            for (const { value } of node.attributes) if (invisible.test(value)) found.push(value);
        return found;
    });
}

const disguised = 'a\\u202ecod.exe\\u200b\\udb40\\udc41';

test('invisible characters in the arguments of an approval request are shown as escapes', async (t) => {
    const { page, run } = await opened(t, '--script', 'invisible', '--approve', 'always');
    run.go(2);
    const card = page.getByRole('region', { name: 'Allow click_element?' });
    await card.waitFor();
    assert.equal(await card.locator('pre').textContent(), `{"label": "${disguised}", "box": [300, 400]}`);
    // The characters are in the same order on the screen as in the text.
    const places = await card.locator('pre').evaluate((pre) => {
        const text = pre.firstChild;
        const range = document.createRange();
        return [...'label'].map((_, index) => {
            range.setStart(text, text.data.indexOf('cod.exe') + index);
            range.setEnd(text, text.data.indexOf('cod.exe') + index + 1);
            return range.getBoundingClientRect().left;
        });
    });
    assert.deepEqual(places, [...places].sort((a, b) => a - b));
    assert.deepEqual(await invisibleOn(page), []);
});

test('invisible characters in foreign text are shown as escapes', async (t) => {
    const { page, run, problems } = await opened(t, '--script', 'invisible');
    await says(page, '#task', disguised);
    assert.equal(await page.locator('#task').getAttribute('title'), disguised);
    run.go(4);
    await run.line(/^finished/);
    await says(page, '#outcome', disguised);
    for (const turn of [1, 2, 3, 4]) {
        await item(page, turn).click();
        await says(page, '#items .words:not(.reasoning .words)', disguised);
        assert.deepEqual(await invisibleOn(page), []);
    }
    await item(page, 1).click();
    await says(page, '#items .result', `1. ${disguised}`); // a window's title
    await says(page, '#items .reasoning', disguised);
    await page.locator('#items .told-to-model > summary').click();
    await says(page, '#items .told-to-model pre', disguised);
    await item(page, 3).click();
    await says(page, '#items .tool', disguised);
    assert.deepEqual(await invisibleOn(page), []);
    assert.deepEqual(problems, []);
});

test('an older turn shows its own screenshot, and the page follows the run again on request', async (t) => {
    const { page, run } = await opened(t, '--turns', '4');
    run.go(3);
    await run.line(/^asked 4$/);
    await says(page, '#stage-title', 'Turn 4'); // otherwise the page may still follow turn 1
    await item(page, 1).click();
    await says(page, '#stage-title', 'Turn 1');
    await pictureIsDrawn(page, /\/1(\/raw)?$/);
    assert.equal(await page.locator('#live').isVisible(), false);
    run.go();
    await item(page, 5).waitFor();
    await says(page, '#stage-title', 'Turn 1');
    await page.keyboard.press(']');
    await says(page, '#stage-title', 'Turn 2');
    await page.keyboard.press('l');
    await says(page, '#stage-title', 'Turn 5');
});

for (const profile of ['commander', 'planner', 'basic', 'story'])
    test(`the page shows a run of ${profile}`, async (t) => {
        const { page, run, problems } = await opened(t, '--profile', profile, '--turns', '2');
        run.go(6);
        assert.equal(await run.line(/^finished/), 'finished completed');
        await says(page, '#outcome', 'Completed');
        await pictureIsDrawn(page, /\/picture\//);
        if (profile === 'commander' || profile === 'planner') {
            await says(page, '#mind-list', '1. click (now) 2. check (later)');
            await says(page, '#mind-list', 'Click OK.');
            await says(page, '#mind-list', 'active');
        }
        assert.deepEqual(problems, []);
    });

test('the page shows the next run', async (t) => {
    const { page, run } = await opened(t, '--turns', '1');
    run.go(2);
    await says(page, '#outcome', 'Completed');
    run.say('again');
    await says(page, '#phase', 'asking the model');
    assert.equal(await page.locator('#outcome').isVisible(), false);
    run.go();
    await says(page, '#items .call .chip, #turns .gist', 'click_element');
});

test('the page annotates the screenshots of the next run', async (t) => {
    const { page, run, problems } = await opened(t, '--profile', 'story', '--annotate', 'panel', '--turns', '1');
    run.go(2);
    await run.line(/^finished/);
    await says(page, '#outcome', 'Completed');
    await pictureIsDrawn(page, /\/3$/); // until then the canvas has a screenshot of the previous run
    run.say('again');
    await says(page, '#phase', 'asking the model');
    run.go(2);
    await says(page, '#outcome', 'Completed');
    await run.line(/^finished completed$/, 2); // the page may know it first
    assert.deepEqual(problems, []);
});

test('a lost connection is reported', async (t) => {
    const { page, run } = await opened(t);
    run.kill();
    await says(page, '#link-notice', 'Connection lost');
    await says(page, '#announce', 'Connection lost');
});

// The settings are loaded again with the first event of a run.
test('a lost connection is reported while the settings are loaded', { timeout: patience }, async (t) => {
    const run = await startRun(t);
    await run.line(/^asked 1$/);
    const { page } = await open(browser);
    t.after(() => page.context().close());
    const loads = [];
    let hasLoaded = () => {};
    await page.route('**/config', (route) => {
        loads.push(route);
        hasLoaded();
    });
    const load = async (number) => {
        while (loads.length < number) await new Promise((resolve) => { hasLoaded = resolve; });
        return loads[number - 1];
    };
    const loading = page.goto(run.url);
    const first = await load(1);
    const answer = await first.fetch();
    await first.fulfill({ json: { ...await answer.json(), version: undefined } });
    await loading;
    const second = await load(2);
    run.kill();
    await says(page, '#link-notice', 'Connection lost');
    const notices = await textsOf(page, '#link-notice');
    await second.abort();
    await load(3); // the page has processed the failure
    assert.deepEqual(await notices.jsonValue(), []);
});

test('a page that was opened before its run has the settings of the run', async (t) => {
    const run = await startRun(t, '--profile', 'story', '--annotate', 'panel', '--turns', '1');
    const { page } = await open(browser);
    t.after(() => page.context().close());
    let isFirst = true;
    await page.route('**/config', async (route) => {
        const answer = await route.fetch();
        const early = isFirst ? { run: '', annotate: 'native' } : {};
        isFirst = false;
        await route.fulfill({ json: { ...await answer.json(), ...early } });
    });
    await page.goto(run.url);
    run.go(2);
    assert.equal(await run.line(/^finished/), 'finished completed');
});

test('after the end of the program, a turn does not show the screenshot of another one', async (t) => {
    const { page, run } = await opened(t, '--profile', 'story', '--turns', '1');
    run.go(2);
    await says(page, '#outcome', 'Completed');
    await pictureIsDrawn(page, /\/3$/);
    run.kill();
    await says(page, '#link-notice', 'The program has ended');
    await item(page, 2).click();
    await says(page, '#caption', 'The screenshot could not be loaded.');
    assert.equal(await page.locator('#canvas').getAttribute('data-url'), null);
    await page.locator('#compare').waitFor({ state: 'hidden' });
});

test('the end of the program after its run is not announced', async (t) => {
    const { page, run } = await opened(t, '--turns', '1');
    run.go(2);
    await says(page, '#outcome', 'Completed');
    await says(page, '#announce', 'The run has ended');
    const announced = await textsOf(page, '#announce');
    run.kill();
    await says(page, '#link-notice', 'The program has ended');
    await page.locator('#show-heat').click(); // pending announcements have arrived by then
    assert.deepEqual(await announced.jsonValue(), []);
});

test('without events the page polls the state', async (t) => {
    const run = await startRun(t);
    const { page } = await open(browser);
    t.after(() => page.context().close());
    await page.route('**/events?*', (route) => route.abort());
    await page.goto(run.url);
    await says(page, '#link-notice', 'Live updates are not available. The page polls every two seconds.');
    run.go();
    await run.line(/^asked 2$/);
    await says(page, '#turns .gist', 'click_element');
    run.kill();
    await says(page, '#link-notice', 'Connection lost');
});

test('a poll answer that arrives after events have resumed is ignored', async (t) => {
    const run = await startRun(t);
    const { page } = await open(browser);
    t.after(() => page.context().close());
    await page.route('**/events?*', (route) => route.abort());
    await page.goto(run.url);
    await says(page, '#task', 'click the button');
    let asks;
    const asked = new Promise((resolve) => { asks = resolve; });
    await page.route('**/state?*', (route) => asks(route));
    const late = await asked;
    const tasks = await textsOf(page, '#task');
    await page.unroute('**/events?*');
    await page.locator('#link-notice').waitFor({ state: 'hidden' });
    await Promise.all([
        page.waitForEvent('requestfinished', (request) => request.url().includes('/state')),
        late.fulfill({ json: { run: 'older', seq: 1, task: 'an older run', phase: 'idle', questions: [], turns: [] } }),
    ]);
    run.go();
    await says(page, '#stage-title', 'Turn 2');
    assert.deepEqual(await tasks.jsonValue(), []);
});

/** A page that polls the run's states, modified by `change`. */
async function openedWith(t, change) {
    const run = await startRun(t);
    const { page } = await open(browser);
    t.after(() => page.context().close());
    await page.route('**/events?*', (route) => route.abort());
    await page.route('**/state?*', async (route) => {
        const answer = await route.fetch().catch(() => null);
        if (answer === null) await route.abort(); // the program has ended
        else await route.fulfill({ json: change(await answer.json()) });
    });
    await page.goto(run.url);
    return page;
}

for (const [phase, words, kind] of [['interrupted', 'interrupted', 'wait'], ['following', 'running in another process', 'busy']])
    test(`the page shows a run of another process: ${phase}`, async (t) => {
        const page = await openedWith(t, (state) => ({ ...state, live: false, phase, tokens: { prompt: 12000, completion: 345 } }));
        await says(page, `#phase[data-kind="${kind}"]`, words);
        await says(page, '#facts', '12,345 tokens');
        assert.equal(await page.locator('#controls').isVisible(), false);
    });

test('the pointer is drawn at its place in the screenshot', async (t) => {
    const page = await openedWith(t, (state) => (state.picture ? { ...state, picture: { ...state.picture, pointer: [230, 290] } } : state));
    await says(page, '#caption', 'pointer at 230, 290');
    assert.equal(await page.locator('#marks .pointer').count(), 1);
    await page.locator('#show-targets').uncheck();
    await page.locator('#marks .pointer').waitFor({ state: 'detached' });
});

test('all functions work with the keyboard', async (t) => {
    const { page, run } = await opened(t, '--approve', 'always', '--turns', '4');
    await run.line(/^asked 1$/);
    await page.keyboard.press('?');
    await says(page, '#keys[open]', 'execute one command, then pause');
    await page.keyboard.press('Escape');
    await page.keyboard.press('p');
    await says(page, '#phase', '(pausing)');
    await page.keyboard.press('p');
    await says(page, '#phase', /^asking the model$/);
    await tabTo(page, '#step');
    await page.keyboard.press('Enter');
    await says(page, '#phase', '(pausing)');
    run.go();
    await says(page, '#phase', 'paused');
    await page.keyboard.press('s');
    await page.locator('.question:focus[data-ready]').waitFor();
    await page.keyboard.press('d');
    await says(page, '#phase', 'paused');
    await tabTo(page, '#pause');
    await page.keyboard.press('Space');
    await run.line(/^asked 2$/);
    run.go();
    await page.locator('.question').waitFor();
    await page.keyboard.press('q');
    await tabTo(page, '.question button');
    await page.keyboard.press('Enter');
    await run.line(/^pressed/);
    await run.line(/^asked 3$/);
    await says(page, '#stage-title', 'Turn 3');
    await page.keyboard.press('[');
    await says(page, '#stage-title', 'Turn 2');
    await tabTo(page, '#turns button');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Shift+X');
    assert.equal(await run.line(/^finished/), 'finished cancelled');
});

test('the focused element has a visible outline', async (t) => {
    const { page, run } = await opened(t);
    await run.line(/^asked 1$/);
    await says(page, '#reasoning-box', /./); // the page draws nothing more
    for (const id of ['pause', 'tell-text', 'show-heat', 'latest'])
        await page.evaluate((name) => { document.getElementById(name).disabled = false; }, id);
    for (const id of ['pause', 'tell-text', 'show-heat', 'latest']) {
        await tabTo(page, `#${id}`);
        const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
        assert.equal(outline, 'solid', id);
    }
});

for (const view of views)
    test(`the page is accessible and fits: ${nameOf(view)}`, async (t) => {
        const run = await startRun(t, '--approve', 'always');
        const { page } = await openPanel(t, browser, run, view);
        run.go();
        await page.locator('.question').waitFor();
        await assertAccessible(page);
        await assertFits(page);
        await page.locator('.question[data-ready]').waitFor();
        await page.keyboard.press('a');
        await run.line(/^asked 2$/);
        run.say('words');
        await page.locator('#words.streaming').waitFor();
        for (const details of await page.locator('details:visible > summary').all()) await details.click();
        await assertAccessible(page);
        await assertFits(page);
        await page.keyboard.press('Shift+X');
        await says(page, '#outcome', 'Stopped');
        await assertAccessible(page);
        await page.keyboard.press('?');
        await assertAccessible(page);
    });

test('the content security policy prevents foreign scripts', async (t) => {
    const run = await startRun(t);
    const { page } = await openPanel(t, browser, run);
    const answer = await page.request.get(new URL('/', run.url).href);
    const policy = answer.headers()['content-security-policy'];
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'none'", "frame-ancestors 'none'"])
        assert.ok(policy.includes(part), policy);
    const ran = await page.evaluate(() => {
        const script = document.createElement('script');
        script.textContent = 'globalThis.ran = true';
        document.body.append(script);
        return globalThis.ran === true;
    });
    assert.equal(ran, false);
});

// ---- access ---------------------------------------------------------------------------------------

/** An HTTP server on another port of this computer; `requests` collects the fields of the requests. */
async function otherServer(t) {
    const requests = [];
    const server = createServer((request, response) => {
        requests.push(request.headers);
        response.setHeader('Content-Type', 'text/html');
        response.end('<!DOCTYPE html><title>other</title>');
    });
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    t.after(() => { server.closeAllConnections(); server.close(); });
    return { url: `http://127.0.0.1:${server.address().port}/`, requests };
}

test('the token leaves the address, and reloading and a second tab keep working', async (t) => {
    const { page, run } = await opened(t);
    const { origin } = new URL(run.url);
    assert.equal(page.url(), `${origin}/`);
    await page.reload();
    await says(page, '#task', 'click the button');
    assert.equal(page.url(), `${origin}/`);
    const works = async (tab) => {
        await tab.getByRole('button', { name: 'Pause' }).click();
        await says(tab, '#phase', '(pausing)');
        await tab.getByRole('button', { name: 'Resume' }).click();
        await says(tab, '#phase', /^asking the model$/);
    };
    await works(page);
    const second = await page.context().newPage();
    await second.goto(run.url);
    await says(second, '#task', 'click the button');
    await works(second);
});

test('an address without the token gives no access, until the complete address is opened in the tab', async (t) => {
    const run = await startRun(t);
    const { page } = await open(browser);
    t.after(() => page.context().close());
    const { origin } = new URL(run.url);
    for (const address of [`${origin}/`, `${origin}/#token=${'0'.repeat(32)}`]) {
        await page.goto(address);
        await says(page, '#link-notice', 'This address gives no access. Open the complete address that the program printed.');
        assert.equal(await page.locator('#task').textContent(), 'Eyehand');
    }
    await page.goto(run.url); // only the fragment differs
    await says(page, '#task', 'click the button');
    assert.equal(page.url(), `${origin}/`);
});

/** Reloads the page. */
async function addressOfEvents(page) {
    const [request] = await Promise.all([page.waitForRequest((one) => new URL(one.url()).pathname === '/events'), page.reload()]);
    return request.url();
}

test('another server of this computer receives no secret, and its pages cannot use the panel', async (t) => {
    const { page, run } = await opened(t);
    const { origin, hash } = new URL(run.url);
    const events = await addressOfEvents(page);
    assert.deepEqual(await page.context().cookies(), []);

    const other = await otherServer(t);
    const foreign = await page.context().newPage();
    await foreign.goto(other.url);
    assert.ok(!JSON.stringify(other.requests).includes(hash.slice('#token='.length)));
    // Chromium also requests the icon of the foreign page, with the foreign page's own address as Referer.
    assert.ok(other.requests.every((fields) => fields.cookie === undefined && [undefined, other.url].includes(fields.referer)));
    // Also if it knew the address of the event stream.
    const got = await foreign.evaluate(async ([panel, stream]) => {
        const told = (promise) => promise.then(() => 'loaded', () => 'failed');
        const loads = (address) => new Promise((resolve, reject) => {
            const source = new EventSource(address);
            source.onopen = resolve;
            source.onerror = reject;
        });
        const image = (address) => {
            const node = new Image();
            node.src = address;
            return node.decode();
        };
        return [
            await told(fetch(`${panel}/state`)),
            await told(fetch(`${panel}/state`, { credentials: 'include' })),
            await told(fetch(`${panel}/stop`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })),
            await told(loads(stream)),
            await told(image(`${panel}/picture/x/1`)),
        ];
    }, [origin, events]);
    assert.deepEqual(got, ['failed', 'failed', 'failed', 'failed', 'failed']);
    // A request that does not ask to read the answer is sent, but has no effect. fetch fails because the panel's resources
    // are only for its own pages.
    await foreign.evaluate((panel) => fetch(`${panel}/stop`, { method: 'POST', mode: 'no-cors', body: '{}' }).catch(() => {}), origin);
    run.go();
    await run.line(/^asked 2$/);
});

test('the tokens in addresses only read', async (t) => {
    const { page, run } = await opened(t);
    const { origin } = new URL(run.url);
    await pictureIsDrawn(page, /\/picture\//);
    const stream = await addressOfEvents(page);
    await pictureIsDrawn(page, /\/picture\//);
    const [picture] = await Promise.all([
        page.waitForEvent('popup').then(async (popup) => {
            await popup.waitForURL(/\/picture\//);
            return popup;
        }),
        page.locator('#open-picture').click(),
    ]);
    const link = picture.url();
    assert.ok(await picture.evaluate(() => document.images[0].naturalWidth > 0), 'the link shows the screenshot');
    assert.equal(await picture.evaluate(() => document.referrer), '');
    for (const { search } of [new URL(stream), new URL(link)]) {
        assert.match(search, /^\?token=[0-9a-f]{32}$/);
        for (const path of ['/state', '/config', '/prompt/x/y'])
            assert.equal((await page.request.get(`${origin}${path}${search}`)).status(), 403, path);
        for (const path of ['/stop', '/decide', '/tell', '/events', new URL(link).pathname])
            assert.equal((await page.request.post(`${origin}${path}${search}`, { data: {} })).status(), 403, path);
    }
    assert.equal((await page.request.get(`${origin}/events${new URL(link).search}`)).status(), 403);
    run.go();
    await run.line(/^asked 2$/);
});

test('stop works while idle connections of other programs are open', async (t) => {
    const { page, run } = await opened(t);
    const { hostname, port } = new URL(run.url);
    const idle = await Promise.all(Array.from({ length: 80 }, () => new Promise((resolve) => {
        const socket = connect(Number(port), hostname, () => resolve(socket));
        socket.on('error', () => {}); // the panel closes some of them
    })));
    t.after(() => idle.forEach((socket) => socket.destroy()));
    await page.getByRole('button', { name: 'Stop' }).click();
    assert.equal(await run.line(/^finished/), 'finished cancelled');
    await says(page, '#outcome', 'Stopped');
});
