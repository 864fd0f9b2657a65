// The official SDKs and the Inspector's command line call every tool of `agent-cli mcp`, over standard input and output, and
// over Streamable HTTP:
//   run every_tool.mjs CLIENT AGENT-CLI WINDOW                on X11; WINDOW: eyehand-x11-window
//   run --on-wine every_tool.mjs CLIENT AGENT-CLI.EXE         with Notepad
// CLIENT: sdk-1, sdk-2, inspector or all.
import assert from 'node:assert/strict';
import { inspector, sdk_1, sdk_2 } from './clients.mjs';
import { start_model } from './model.mjs';
import { Notepad, X11Window, eventually } from './programs.mjs';
import { mcp_command, path_for, start_http_server } from './servers.mjs';

const [folder, chosen, agent_cli, window] = process.argv.slice(2);
const on_wine = window === undefined;
const server = { program: agent_cli, wine: on_wine };

const middle = ({ top_left, bottom_right }) => [
    Math.round((top_left.x + bottom_right.x) / 2),
    Math.round((top_left.y + bottom_right.y) / 2),
];

/** Checks that the image is a PNG of the stated size. */
function check_image(result) {
    const images = result.content.filter((one) => one.type === 'image');
    assert.equal(images.length, 1);
    assert.equal(images[0].mimeType, 'image/png');
    const bytes = Buffer.from(images[0].data, 'base64');
    assert.equal(bytes.toString('latin1', 1, 4), 'PNG');
    const { width, height } = result.structuredContent.screenshot;
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [width, height]);
}

/** Calls every tool with this client, which uses a program of its own. */
async function call_every_tool(client, program) {
    const tools = await client.list();
    const called = new Set();
    const call = async (name, args = {}, onprogress = undefined) => {
        called.add(name);
        const result = await client.call(name, args, onprogress);
        if (result.structuredContent)
            assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
        return result;
    };
    const succeed = async (name, args) => {
        const result = await call(name, args);
        assert.ok(!result.isError, `${name}: ${result.content[0].text}`);
        await program.received(name);
        return result;
    };
    /** Calls an acting tool, which returns its effect and, unless the arguments decline it, an image. */
    const act = async (name, args) => {
        const result = await succeed(name, args);
        const told = result.structuredContent;
        if (program.shows(name)) assert.equal(told.effect, 'confirmed', JSON.stringify([name, told]));
        else assert.match(told.effect, /^(confirmed|no_visible_change)$/);
        if (args.screenshot !== false) check_image(result);
        return told;
    };
    /** Calls a tool with a position. A session that has shown no image refuses it. */
    const point = async (name, args) => {
        if (client.remembers) return act(name, args);
        const refused = await call(name, args);
        assert.ok(refused.isError);
        assert.match(refused.content[0].text, /^Call look first/);
        return undefined;
    };

    const wrong = await client.call('press', {});
    assert.ok(wrong.isError);
    assert.match(wrong.content[0].text, /key/);
    await assert.rejects(
        client.call('no_such_tool', {}),
        (error) => error.code === -32602 || error.code === 'tool_not_found',
    );

    const seen = await succeed('look');
    check_image(seen);
    assert.equal(seen.structuredContent.displays.length, 1);

    await act('launch', { command: program.launch_command });
    const window_called = async (title) =>
        (await succeed('windows')).structuredContent.windows.find((one) => one.title === title);
    if (client.remembers) {
        const other = program.start_another(); // changes the screen without the server
        await eventually(() => window_called(other), other);
    }
    const changed = await succeed('wait_for_change', { seconds: client.remembers ? 60 : 0 });
    check_image(changed);
    if (client.remembers) {
        assert.notDeepEqual(changed.structuredContent.changed, []);
        await act('focus_window', { title: program.title });
    } else {
        await succeed('focus_window', { title: program.title }); // it has the focus already
    }
    const own = await window_called(program.title);
    assert.ok(own?.foreground, JSON.stringify(own));
    const center = client.remembers ? middle(own) : [300, 300];
    const beside = [center[0] + 40, center[1] + 30];

    const clicked = await point('click', { position: center, element: 'the window' });
    if (client.remembers && !on_wine) {
        assert.notDeepEqual(clicked.changed, []);
        const { area, width } = clicked.screenshot;
        const scale = area[2] / width;
        program.clicked_at.forEach((value, i) =>
            assert.ok(Math.abs(value - center[i] * scale) <= 2, `clicked at ${program.clicked_at}`),
        );
    }
    await act('type', { text: 'ab' });
    await act('press', { key: 'x' });
    await act('hold', { key: 'shift', seconds: 0.1, screenshot: false });
    await act('paste', { text: 'zażółć' });
    if (on_wine) {
        await act('press', { key: 'ctrl+a', screenshot: false });
        await succeed('press', { key: 'ctrl+c' });
        const { text } = (await succeed('clipboard_read')).structuredContent;
        assert.equal(text, 'abxzażółć');
    }
    await succeed('clipboard_write', { text: 'from the client' });
    const clipboard = await call('clipboard_read');
    // On X11, the text ends with the process that has written it.
    if (client.remembers || on_wine)
        assert.equal(clipboard.structuredContent.text, 'from the client');

    const moved = await point('move', { position: beside });
    // Wine reports no moved pointer while the server watches the user's input (docs/winio.md).
    if (moved && !on_wine)
        moved.pointer.forEach((value, i) =>
            assert.ok(Math.abs(value - beside[i]) <= 2, `${moved.pointer} instead of ${beside}`),
        );
    await point('double_click', { position: beside });
    await point('drag', { start: center, end: beside });
    await point('scroll', { direction: 'down', position: center });
    await point('right_click', { position: center });
    if (client.remembers && on_wine) await act('press', { key: 'escape' }); // Notepad has shown a menu
    if (client.remembers) {
        const since = await succeed('look', { since: seen.structuredContent.screenshot.id });
        assert.notDeepEqual(since.structuredContent.changed, []);
    }

    const turns = [];
    const task = await call('run_task', { task: 'Look at the screen.', max_turns: 3 }, (progress) =>
        turns.push(progress.progress),
    );
    assert.ok(!task.isError, task.content[0].text);
    assert.match(task.content[0].text, /^completed: The screen is visible\./);
    if (client.reports_progress) assert.deepEqual(turns, [1, 2]);

    assert.deepEqual([...called].sort(), tools.map((tool) => tool.name).sort());
    return called.size;
}

const all_clients = { 'sdk-1': sdk_1, 'sdk-2': sdk_2, inspector };
const clients = chosen === 'all' ? all_clients : { [chosen]: all_clients[chosen] };
const model = await start_model();
const runs = path_for(server, `${folder}/runs`);
const options = ['--guard', 'off', '--image', '960x540', '--run-dir', runs, ...model.options];
const http = await start_http_server(server, options, folder);
const targets = { stdio: mcp_command(server, options), http };
try {
    for (const [client_name, connect] of Object.entries(clients))
        for (const [transport, target] of Object.entries(targets)) {
            const start = Date.now();
            const name = `${client_name}-${transport}`;
            const program = on_wine ? new Notepad(name) : new X11Window(window, folder, name);
            const client = await connect(target, folder);
            const count = await call_every_tool(client, program);
            await client.close();
            console.log(`${name}: ${count} tools (${Date.now() - start} ms)`);
        }
} finally {
    await http.stop();
    model.stop();
}
process.exit();
