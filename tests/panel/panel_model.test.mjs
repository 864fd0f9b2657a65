// Tests the page's model of a run, without a browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

// Node before 20.19 treats modules without a package.json in their folder as CommonJS.
const load = (name) => {
    const text = readFileSync(new URL(`../../libagent/page/web/${name}`, import.meta.url), 'utf8');
    return import(`data:text/javascript,${encodeURIComponent(text)}`);
};
const { parseRgba } = await load('overlay.js');
const { escapeInvisible } = await load('invisible.js');
const { changesOf, lineDiff, messageChanges } = await load('diff.js');
const { messagesOf, screenshotOf, turnOfRequest, afterOf, brief, showsOnlyEffectOf, withoutThoughts, duration, emptyRun, frozenRun, hasFailed, laidOut, marksIn, marksOf, placeIn, showSamePart, seenOf, targetsOf, timeOf, timesOf, tokensOf, trailBefore,
    turnsOf, withDelta, withState } =
    await load('run.js');

const whole = (turns, more = {}) => withState(emptyRun(), { run: 'a', seq: 1, text: '', reasoning: '', turns, ...more });
const click = (at) => ({ kind: 'call', tool: 'click', points: [at] });
const turn = (number, points = [], more = {}) => ({ turn: number, items: points.map(click), ...more });

test('a change replaces or adds one turn and keeps the others', () => {
    let run = whole([turn(1), turn(2)]);
    run = withState(run, { run: 'a', seq: 2, turn_changed: turn(2, [], { words: 'new' }) });
    run = withState(run, { run: 'a', seq: 3, turn_changed: turn(3) });
    assert.deepEqual(turnsOf(run).map((it) => [it.turn, it.words]), [[1, undefined], [2, 'new'], [3, undefined]]);
});

test('only the last fifty turns are kept', () => {
    let run = whole([]);
    for (let i = 1; i <= 60; ++i) run = withState(run, { run: 'a', seq: i + 1, turn_changed: turn(i) });
    assert.deepEqual([turnsOf(run).length, turnsOf(run)[0].turn], [50, 11]);
});

test('an outdated answer changes nothing', () => {
    const run = whole([turn(1)], { seq: 5 });
    assert.equal(withState(run, { run: 'a', seq: 4, turns: [] }), run);
});

test('a change of an unknown run requires the full state, and another run replaces the turns', () => {
    const run = whole([turn(1)], { seq: 9 });
    assert.equal(withState(run, { run: 'b', seq: 1, turn_changed: null }), null);
    assert.deepEqual(turnsOf(withState(run, { run: 'b', seq: 1, turns: [turn(7)] })).map((it) => it.turn), [7]);
});

test('new text is appended, and a state replaces it', () => {
    let run = withDelta(whole([], { text: 'I cl' }), { run: 'a', text: 'ick', reasoning: 'so' });
    assert.deepEqual([run.state.text, run.state.reasoning], ['I click', 'so']);
    assert.equal(withDelta(run, { run: 'older', text: 'x' }), run);
    run = withState(run, { run: 'a', seq: 2, text: '', reasoning: '', turn_changed: null });
    assert.equal(run.state.text, '');
});

test('a turn has the latest screenshot before it and the next one after it', () => {
    const run = whole([turn(1, [], { seen: { n: 1 }, after: null }), turn(2, [], { seen: null, after: null }),
        turn(3, [], { seen: { n: 3 }, after: { n: 4 } })]);
    assert.equal(seenOf(run, 1).n, 1);
    assert.equal(seenOf(run, 2).n, 1);
    assert.equal(seenOf(run, 3).n, 3);
    assert.equal(seenOf(whole([]), 1), null);
    assert.deepEqual([1, 2, 3].map((number) => afterOf(run, number).n), [3, 3, 4]);
    // A turn without a screenshot of its own is compared with the next one.
    const look = { n: 1 };
    const later = whole([turn(1, [], { seen: look }), turn(2, [], { seen: look, after: { n: 2 } })]);
    assert.equal(afterOf(later, 1).n, 2);
    assert.equal(afterOf(whole([turn(1, [], { seen: look }), turn(2, [], { seen: look })]), 1), null);
    assert.equal(afterOf(whole([turn(1, [], { seen: { n: 1 } })]), 1), null);
});

test('two screenshots show the effect of a turn only if no other turn has acted between them', () => {
    const act = { items: [{ kind: 'call', tool: 'type', acts: true }] };
    const look = { items: [{ kind: 'call', tool: 'observe' }] };
    const first = { n: 1 };
    const second = { n: 2 };
    // Turn 1 acts, turn 2 only looks.
    const seen = whole([turn(1, [], { ...act, seen: first }), turn(2, [], { ...look, seen: first, after: second }),
        turn(3, [], { ...act, seen: second })]);
    assert.ok(showsOnlyEffectOf(seen, 1, first, second));
    // Turns 1 and 2 act, and a look follows only then: the effect of neither is known.
    const unseen = whole([turn(1, [], { ...act, seen: first }), turn(2, [], { ...act, seen: first }),
        turn(3, [], { ...look, seen: first, after: second })]);
    assert.ok(!showsOnlyEffectOf(unseen, 1, first, second));
    assert.ok(!showsOnlyEffectOf(unseen, 2, first, second));
    assert.ok(!showsOnlyEffectOf(seen, 3, second, null));
});

test('the words of a reply are separated from its thoughts', () => {
    assert.deepEqual(withoutThoughts('<think>a</think>b <think>c</think>d'), { words: 'b d', thoughts: 'a\n\nc' });
    assert.deepEqual(withoutThoughts('a</think>b'), { words: 'b', thoughts: 'a' });
    assert.deepEqual(withoutThoughts('b<think>cut off'), { words: 'b', thoughts: 'cut off' });
    assert.deepEqual(withoutThoughts('plain'), { words: 'plain', thoughts: '' });
});

test('a path of several points goes from the first to the last', () => {
    const drag = { kind: 'call', tool: 'drag', points: [[1, 1], [2, 2], [3, 3]] };
    assert.deepEqual(marksOf({ items: [drag] }), [{ number: 1, at: [1, 1], to: [3, 3], path: drag.points }]);
});

test('a turn fails with a call, a recovery, a request or a screenshot', () => {
    for (const item of [{ kind: 'call', ok: false }, { kind: 'recovery', ok: false }, { kind: 'request_failed' }, { kind: 'screenshot_failed' }])
        assert.ok(hasFailed({ items: [{ kind: 'reply' }, item] }), item.kind);
    assert.ok(!hasFailed({ items: [{ kind: 'call', ok: true }, { kind: 'call', ok: null }, { kind: 'note' }] }));
});

test('the turns of a report name their screenshots by number', () => {
    const run = frozenRun({
        run: 'run_0001', state: { task: 'x' }, screenshots: { 1: { n: 1 } },
        turns: [{ turn: 1, seen: 1, after: null, items: [] }, { turn: 2, seen: 1, after: 7, items: [] }],
    });
    assert.deepEqual(turnsOf(run).map((it) => [it.seen?.n, it.after]), [[1, null], [1, null]]);
    assert.equal(run.state.phase, 'unfinished');
});

test('the trail has the earlier turns with targets, the latest first', () => {
    const run = whole([turn(1, [[1, 1]]), turn(2), turn(3, [[3, 3]]), turn(4, [[4, 4]])]);
    assert.deepEqual(trailBefore(run, 4).map((marks) => marks.map((mark) => mark.at)), [[], [[3, 3]], [[1, 1]]]);
    assert.deepEqual(trailBefore(run, 1), []);
});

test('the latest turn shows the targets of the previous action until it has its own', () => {
    const drag = [[1, 1], [2, 2]];
    const first = { turn: 1, items: [{ kind: 'call', tool: 'wait' }, { kind: 'call', tool: 'drag', points: drag }] };
    const run = whole([first, turn(2)], { targets: drag });
    assert.deepEqual(targetsOf(run, 2, true), [{ number: 2, at: [1, 1], to: [2, 2] }]);
    assert.deepEqual(targetsOf(run, 2, false), []);
    assert.deepEqual(targetsOf(whole([turn(1)], { targets: [] }), 1, true), []);
    assert.deepEqual(targetsOf(whole([first, turn(2)], { targets: drag, outcome: {} }), 2, true), []);
    assert.deepEqual(targetsOf(whole([first, turn(2)], { targets: drag, questions: [{}] }), 2, true), []);
    assert.deepEqual(targetsOf(whole([first, turn(2, [[3, 3]])], { targets: drag }), 2, true).map((it) => it.at), [[3, 3]]);
});

test('unknown times count as zero', () => {
    const seen = { n: 1, turn: 1, settle_ms: 5, capture_ms: 1.5 };
    const items = [{ kind: 'reply', model_ms: null, wait_ms: null }, { kind: 'call', act_ms: null }];
    assert.deepEqual(timesOf({ turn: 1, seen, after: null, items }), { model: 0, act: 0, look: 6.5 });
    assert.equal(timesOf({ turn: 1, items: [{ kind: 'reply', model_ms: 90, wait_ms: 30 }] }).model, 90);
});

test('the time of a screenshot belongs to the turn for which it was taken', () => {
    const seen = { n: 1, turn: 1, settle_ms: 5 };
    assert.equal(timesOf({ turn: 2, seen, after: { n: 2, turn: 2, settle_ms: 3 }, items: [] }).look, 3);
    assert.equal(timesOf({ turn: 1, seen, after: seen, items: [] }).look, 5);
});

test('the total time of a turn excludes the first token, which the model\'s time includes', () => {
    const seen = { n: 1, turn: 1, settle_ms: 5, annotate_ms: 2 };
    const items = [{ kind: 'reply', model_ms: 90, wait_ms: 30 }, { kind: 'call', act_ms: 4, policy_ms: 60000 }];
    assert.equal(timeOf({ turn: 1, seen, after: null, items }), 5 + 2 + 90 + 4 + 60000);
});

test('the tokens of a turn are the sum over its replies', () => {
    const reply = { kind: 'reply', prompt_tokens: 10, cached_tokens: null, completion_tokens: 2 };
    assert.deepEqual(tokensOf({ items: [reply, { kind: 'note' }, reply] }), { prompt: 20, cached: null, completion: 4 });
});

test('times, texts and JSON are formatted briefly', () => {
    assert.deepEqual([duration(null), duration(0.04), duration(340.4), duration(9940), duration(83000), duration(200000)],
        ['', '< 0.1 ms', '340 ms', '9.9 s', '83 s', '3 min 20 s']);
    assert.equal(brief('a  b\nc', 4), 'a b…');
    assert.equal(laidOut('{"label":"a { b","box":[1,2]}'), '{"label": "a { b", "box": [1, 2]}');
    assert.equal(laidOut('not {'), 'not {');
    const long = 'x'.repeat(90);
    assert.equal(laidOut(JSON.stringify({ long })), `{\n  "long": "${long}"\n}`);
});

test('colors are parsed in the server\'s notation', () => {
    assert.deepEqual(parseRgba('rgba(255,140.5,0,0.75)'), { red: 255, green: 140.5, blue: 0, alpha: 0.75 });
    assert.throws(() => parseRgba('orange'));
});

const inWords = (changes) => changes.map(({ kind, value }) => `${kind} ${value}`).join(', ');

test('the changes between two lists are the fewest possible', () => {
    const of = (before, after) => inWords(changesOf([...before], [...after]));
    assert.equal(of('abc', 'abc'), 'same a, same b, same c');
    assert.equal(of('abcd', 'axcd'), 'same a, removed b, added x, same c, same d');
    assert.equal(of('abcd', 'bd'), 'removed a, same b, removed c, same d');
    assert.equal(of('', 'a'), 'added a');
    assert.equal(of('a', ''), 'removed a');
});

test('very long lists count as replaced', () => {
    const lines = (name) => Array.from({ length: 3000 }, (_, index) => `${name} ${index}`);
    const changes = changesOf(['first', ...lines('a'), 'last'], ['first', ...lines('b'), 'last']);
    assert.equal(changes.length, 6002);
    assert.equal(changes.filter(({ kind }) => kind === 'same').length, 2);
});

test('a line diff shows the lines around a change and counts the others', () => {
    const lines = lineDiff('1\n2\n3\n4\n5\n6\n7', '1\n2\n3\n4\nfive\n6\n7', 1);
    assert.deepEqual(lines.map(({ kind, value, count }) => [kind, value ?? count]),
        [['gap', 3], ['same', '4'], ['removed', '5'], ['added', 'five'], ['same', '6'], ['gap', 1]]);
    assert.deepEqual(lineDiff('a\nb', 'a\nb'), [{ kind: 'gap', count: 2 }]);
});

test('a changed message is compared with the one that it replaces', () => {
    const message = (role, text) => ({ role, parts: [{ text }] });
    const changes = messageChanges(
        [message('user', 'a'), message('user', 'b'), message('assistant', 'c')],
        [message('user', 'b'), message('assistant', 'd'), message('tool', 'e')]);
    assert.deepEqual(changes.map((it) => [it.kind, it.message.parts[0].text, it.before?.parts[0].text, it.index]), [
        ['removed', 'a', undefined, undefined], ['same', 'b', undefined, 0], ['changed', 'd', 'c', 1], ['added', 'e', undefined, 2],
    ]);
    const other = messageChanges([message('user', 'a')], [message('assistant', 'b')]);
    assert.deepEqual(other.map((it) => it.kind), ['added', 'removed']);
});

test('the messages of a request are put together from the earlier requests of its role', () => {
    const request = (number, previous, same, ...added) => ({ kind: 'request', number, previous, same, added, left_out: 0 });
    const run = whole([
        { turn: 1, items: [request(1, 0, 0, 'a', 'b')], seen: { turn: 1, sha256: 'x' } },
        { turn: 2, items: [request(2, 0, 0, 'other role'), request(3, 1, 2, 'c')] },
        { turn: 3, items: [request(4, 3, 1, 'd')] },
        { turn: 4, items: [request(6, 5, 1, 'e'), request(7, 7, 1, 'f')] },
    ]);
    assert.deepEqual(messagesOf(run, 4), ['a', 'd']);
    assert.deepEqual(messagesOf(run, 3), ['a', 'b', 'c']);
    assert.deepEqual(messagesOf(run, 2), ['other role']);
    assert.equal(messagesOf(run, 6), null, 'request 5 is missing');
    assert.equal(messagesOf(run, 7), null, 'a damaged journal');
    assert.deepEqual([turnOfRequest(run, 3), turnOfRequest(run, 5)], [2, null]);
    assert.deepEqual([screenshotOf(run, 'x')?.turn, screenshotOf(run, 'y')], [1, null]);
});

test('invisible characters become escapes, as in the library', () => { // tests/base/invisible_test.cpp
    for (const [text, shown] of [
        ['', ''],
        ['plain\ttext\n"ä" 日本語', 'plain\ttext\n"ä" 日本語'],
        ['a\u202ecod.exe', 'a\\u202ecod.exe'],
        ['\0\x1b[2J', '\\u0000\\u001b[2J'],
        ['a\u200bb\u2028c\u0085', 'a\\u200bb\\u2028c\\u0085'],
        ['x\u{e0041}\u{e01ef}', 'x\\udb40\\udc41\\udb40\\uddef'],
        ['a\r\nb', 'a\r\nb'],
        ['a\rb\r', 'a\\u000db\\u000d'],
        ['\r\r\n', '\\u000d\r\n'],
        ['\u26a0\ufe0f \u{1f512}\ufe0e', '\u26a0\ufe0f \u{1f512}\ufe0e'],
        ['\u26a0\ufe0f\ufe0f\ufe00', '\u26a0\ufe0f\\ufe0f\\ufe00'],
        ['a\ufe0f', 'a\\ufe0f'],
        ['\u26a0\ufe01', '\u26a0\\ufe01'],
        ['\u200d\ufe0f', '\\u200d\\ufe0f'],
    ]) assert.equal(escapeInvisible(text), shown);
});

test('marks in a picture of a part of the screen', () => {
    const whole = { n: 1 };
    const part = { n: 2, part: [250, 500, 750, 1000] };
    assert.deepEqual(placeIn(whole, [500, 750]), [500, 750]);
    assert.deepEqual(placeIn(part, [500, 750]), [500, 500]);
    const marks = [{ number: 1, at: [250, 500] }, { number: 2, at: [100, 500] }, { number: 3, at: [100, 500], to: [750, 1000], path: [[100, 500], [750, 1000]] }];
    assert.deepEqual(marksIn(whole, marks), marks);
    assert.deepEqual(marksIn(part, marks), [
        { number: 1, at: [0, 0] },
        { number: 3, at: [-300, 0], to: [1000, 1000], path: [[-300, 0], [1000, 1000]] },
    ]);
    assert.ok(showSamePart(whole, {}));
    assert.ok(showSamePart(part, { part: [250, 500, 750, 1000] }));
    assert.ok(!showSamePart(whole, part));
});
