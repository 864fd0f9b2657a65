// The official SDK does the demo's task (scripts/demo) with the tools of `agent-cli mcp` alone: it types two lines into
// Notepad and saves them as UTF-8 with the Save As dialog. Then this script compares the bytes of the file.
//   run --on-wine notepad.mjs AGENT-CLI.EXE
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { sdk_2 } from './clients.mjs';
import { mcp_command, path_for } from './servers.mjs';

const [folder, agent_cli] = process.argv.slice(2);
const server = { program: agent_cli, wine: true };
const first_line = 'Zażółć gęślą jaźń.';
const second_line = '你好，世界！';
const file = `${process.env.WINEPREFIX}/drive_c/eyehand-demo/greeting.txt`;
mkdirSync(`${process.env.WINEPREFIX}/drive_c/eyehand-demo`);

// The guard asks for permission to start a program.
const questions = [];
const client = await sdk_2(
    mcp_command(server, ['--run-dir', path_for(server, `${folder}/runs`)]),
    folder,
    (question) => {
        questions.push(question.message);
        return { action: 'accept', content: { allow: true } };
    },
);

let scale = 1; // pixels of the image per pixel of the desktop
let latest; // the id of the latest screenshot

/** Calls a tool; again if the screen has changed before an action, which the server then refuses. */
async function call(name, args = {}) {
    for (let attempt = 0; attempt < 5; ++attempt) {
        const { isError, content, structuredContent: told } = await client.call(name, args);
        const { screenshot } = told ?? {};
        if (screenshot?.width) scale = screenshot.width / screenshot.area[2];
        latest = screenshot?.id ?? latest;
        if (told?.error?.type === 'stale_target') continue;
        assert.ok(!isError, `${name} ${JSON.stringify(args)}: ${content[0].text}`);
        return told;
    }
    return assert.fail(`${name} ${JSON.stringify(args)}: the screen has changed each time`);
}

/** Calls an acting tool, which must change the screen; on a busy machine, Notepad may show the change later. */
async function act(name, args) {
    const before = latest;
    const told = await call(name, args);
    if (told.effect === 'confirmed') return;
    for (let attempt = 0; attempt < 20; ++attempt) {
        const { changed } = await call('look', { since: before });
        if (changed.length > 0) return;
        await call('wait_for_change', { seconds: 5 });
    }
    assert.fail(`${name} ${JSON.stringify(args)} has changed nothing: ${JSON.stringify(told)}`);
}

/** Waits until there is a window with this title. */
async function window_called(title) {
    for (let attempt = 0; attempt < 20; ++attempt) {
        const { windows } = await call('windows');
        const found = windows.find((one) => one.title === title && one.foreground);
        if (found) return found;
        await call('wait_for_change', { seconds: 5 });
    }
    return assert.fail(`there is no window ${title}`);
}

/** A position in a window: parts of its width and height, and further pixels of the desktop. */
function place({ top_left, bottom_right }, [across, down], [right, below] = [0, 0]) {
    const x = top_left.x + across * (bottom_right.x - top_left.x) + right * scale;
    const y = top_left.y + down * (bottom_right.y - top_left.y) + below * scale;
    return [Math.round(x), Math.round(y)];
}

await call('look');
await act('launch', { command: 'notepad.exe' });
assert.equal(questions.length, 1);
assert.match(questions[0], /^Allow launch with /);
const notepad = await window_called('Untitled - Notepad');
await call('click', { position: place(notepad, [0.5, 0.5]), element: 'the text' });
await act('type', { text: `${first_line}\n${second_line}` });
await act('click', { position: place(notepad, [0, 0], [22, 34]), element: 'the menu File' });
await act('press', { key: 'a' }); // Save as...
const dialog = await window_called('Save As');
await act('click', { position: place(dialog, [0.365, 0.957]), element: 'the list Encoding' });
await act('press', { key: 'end' }); // Unicode (UTF-8)
await act('press', { key: 'enter' });
await call('click', { position: place(dialog, [0.56, 0.797]), element: 'the field File name' });
await call('press', { key: 'ctrl+a' });
await act('type', { text: 'C:\\eyehand-demo\\greeting.txt' });
assert.ok(!existsSync(file));
await act('click', { position: place(dialog, [0.9, 0.797]), element: 'the button Save' });
await window_called('greeting.txt - Notepad');
await client.close();
assert.equal(questions.length, 1, questions.join('\n'));

// Notepad begins the file with a byte order mark, ends lines with CR LF, and adds none at the end.
const expected = Buffer.from(`\ufeff${first_line}\r\n${second_line}`);
assert.deepEqual(readFileSync(file), expected);
console.log(`greeting.txt has the expected ${expected.length} bytes`);
process.exit();
