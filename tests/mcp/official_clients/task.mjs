// The official package for the Tasks extension calls `run_task` of `agent-cli mcp`: it polls the task, its user approves the
// agent's click, and a second task is canceled.
//   run task.mjs AGENT-CLI WINDOW        on X11; WINDOW: eyehand-x11-window
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
    createApplicationInputHandler,
    createTaskSessionFromClient,
} from '@modelcontextprotocol/ext-tasks/client';
import assert from 'node:assert/strict';
import { start_model } from './model.mjs';
import { X11Window, eventually } from './programs.mjs';
import { start_http_server } from './servers.mjs';

const [folder, agent_cli, window] = process.argv.slice(2);
const clientInfo = { name: 'eyehand-test', version: '1.0.0' };
const protocolVersion = '2026-07-28';
let target; // of the click, 0 to 1000
const model = await start_model(() => ['click_element', { label: 'the window', box: target }]);
const http = await start_http_server(
    { program: agent_cli, wine: false },
    ['--guard', 'strict', '--run-dir', `${folder}/runs`, ...model.options],
    folder,
);

let latest_id = 0;
/** Sends a request of the extension, which the SDK does not know. */
async function dispatch({ method, params }) {
    const response = await fetch(http.url, {
        method: 'POST',
        headers: {
            ...http.headers,
            'Content-Type': 'application/json',
            Accept: 'application/json, text/event-stream',
            'MCP-Protocol-Version': protocolVersion,
            'Mcp-Method': method,
            'Mcp-Name': params.name ?? params.taskId,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: `task-${++latest_id}`, method, params }),
    });
    const { result, error } = await response.json();
    return error ? { kind: 'error', error } : { kind: 'result', result };
}

const client = new Client(clientInfo, { versionNegotiation: { mode: 'auto' } });
await client.connect(
    new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers: http.headers } }),
);
const questions = [];
const session = createTaskSessionFromClient(client, {
    endpointId: 'eyehand',
    rawDispatch: dispatch,
    v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities: { elicitation: { form: {} } } },
    onInputRequest: createApplicationInputHandler({
        elicitation: ({ params }) => {
            questions.push(params.message);
            return { action: 'accept', content: { allow: true } };
        },
        sampling: () => assert.fail('the server must not ask for the model'),
        roots: () => assert.fail('the server must not ask for roots'),
    }),
});
try {
    const program = new X11Window(window, folder, 'task');
    program.start();
    const call = async (name) => (await client.callTool({ name, arguments: {} })).structuredContent;
    const { width, height } = (await call('look')).screenshot;
    let shown;
    await eventually(async () => {
        shown = (await call('windows')).windows.find((one) => one.title === program.title);
        return shown;
    }, program.title);
    const { top_left, bottom_right } = shown;
    target = [
        Math.round((500 * (top_left.x + bottom_right.x)) / width),
        Math.round((500 * (top_left.y + bottom_right.y)) / height),
    ];

    const execution = await session.callTool('run_task', { task: 'Click the window.', max_turns: 3 });
    assert.equal(execution.kind, 'task');
    const statuses = [];
    const { outcome } = await execution.settle({
        onEvent: (event) => {
            if (event.type === 'task') statuses.push(event.task.status);
        },
    });
    assert.equal(outcome.status, 'completed', JSON.stringify(outcome));
    assert.match(outcome.result.content[0].text, /^completed: The screen is visible\./);
    assert.ok(statuses.includes('input_required'), statuses.join());
    assert.equal(questions.length, 1, questions.join('\n'));
    assert.match(questions[0], /^Allow click_element with /);
    await program.received('click');

    model.fall_silent();
    const canceled = await session.callTool('run_task', { task: 'Wait.', max_turns: 3 });
    const settled = canceled.settle();
    await dispatch({
        method: 'tasks/cancel',
        params: {
            taskId: canceled.handle.taskId,
            _meta: {
                'io.modelcontextprotocol/protocolVersion': protocolVersion,
                'io.modelcontextprotocol/clientInfo': clientInfo,
                'io.modelcontextprotocol/clientCapabilities': {
                    extensions: { 'io.modelcontextprotocol/tasks': {} },
                },
            },
        },
    });
    assert.equal((await settled).outcome.status, 'cancelled');
    console.log(`run_task as a task: ${statuses.join(', ')}; the second one is canceled`);
} finally {
    await session.close();
    await client.close();
    await http.stop();
    model.stop();
}
process.exit();
