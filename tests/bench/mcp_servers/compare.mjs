// Times the calls of two servers for desktops on one X11 desktop, in turn: see `run`.
//   compare.mjs FOLDER AGENT-CLI WINDOW REPETITIONS       WINDOW: eyehand-x11-window
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [folder, agent_cli, window, repetitions] = process.argv.slice(2);

const clients = [];
async function connect(command, args) {
    const client = new Client({ name: 'benchmark', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command, args, cwd: folder, env: process.env, stderr: 'ignore' }));
    clients.push(client);
    return async (name, parameters) => {
        const result = await client.callTool({ name, arguments: parameters });
        assert.ok(!result.isError, JSON.stringify(result.content));
        return result;
    };
}

const eyehand = await connect(agent_cli, ['mcp', '--guard', 'off', '--run-dir', `${folder}/runs`]);
const other = await connect(process.execPath, [
    fileURLToPath(new URL('node_modules/computer-use-mcp/dist/main.js', import.meta.url)),
]);

/** A window that changes its color with each click. */
spawn(window, [`${folder}/window.log`, 'window', '400', '300', '3366cc', '-2'], { stdio: 'ignore' }).unref();
let shown;
let image;
const deadline = Date.now() + 60_000;
while (!shown) {
    assert.ok(Date.now() < deadline, 'the window does not appear');
    await eyehand('wait_for_change', { seconds: 1 });
    image = (await eyehand('look', {})).structuredContent.screenshot;
    const { windows } = (await eyehand('windows', {})).structuredContent;
    shown = windows.find((one) => one.title === 'window');
}
const place = [
    (shown.top_left.x + shown.bottom_right.x) / 2,
    (shown.top_left.y + shown.bottom_right.y) / 2,
];
const own_place = place.map(Math.round);
// Its images are smaller: the positions refer to them.
const first = await other('computer', { action: 'get_screenshot' });
const other_width = Buffer.from(image_of(first).data, 'base64').readUInt32BE(16);
const other_place = place.map((value) => Math.round((value * other_width) / image.width));

function image_of(result) {
    return result.content.find((one) => one.type === 'image');
}
const bytes_of = (result) => Math.round((image_of(result).data.length * 3) / 4);

/** How long agent-cli has waited until the screen was stable. */
const settle_ms = (result) => result.structuredContent.settle_ms ?? 0;
// `pause`: the fixed waits of computer-use-mcp, which its source states: 1000 ms before each screenshot, 100 ms before each click.
const cases = {
    'screenshot, agent-cli': { act: () => eyehand('look', {}), waits: settle_ms },
    'screenshot, computer-use-mcp': {
        act: () => other('computer', { action: 'get_screenshot' }),
        pause: 1000,
    },
    'click and screenshot, agent-cli': {
        act: () => eyehand('click', { position: own_place, element: 'the window' }),
        waits: settle_ms,
    },
    'click and screenshot, computer-use-mcp': {
        act: async () => {
            await other('computer', { action: 'left_click', coordinate: other_place });
            return other('computer', { action: 'get_screenshot' });
        },
        pause: 1100,
    },
};
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const samples = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
for (let i = 0; i < Number(repetitions); ++i)
    for (const [name, { act, pause, waits }] of Object.entries(cases)) {
        const start = performance.now();
        const result = await act();
        const total = performance.now() - start;
        samples[name].push({ total, work: total - (waits?.(result) ?? pause), bytes: bytes_of(result) });
    }
console.log('| call | median | besides waiting | image |');
console.log('| --- | --- | --- | --- |');
for (const [name, list] of Object.entries(samples)) {
    const [total, work, bytes] = ['total', 'work', 'bytes'].map((key) => median(list.map((one) => one[key])));
    console.log(`| ${name} | ${total.toFixed(1)} ms | ${work.toFixed(1)} ms | ${(bytes / 1000).toFixed(1)} kB |`);
}
for (const client of clients) await client.close();
process.exit();
