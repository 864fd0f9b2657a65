// The official clients behind one interface:
//   list()            the tools
//   call(name, args)  a result; a protocol error throws
//   close()           ends the connection
//   remembers         whether all calls belong to one session
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import assert from 'node:assert/strict';
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const identity = { name: 'eyehand-test', version: '1.0.0' };

function stdio_parameters([command, ...args], folder) {
    return { command, args, cwd: folder, env: process.env, stderr: 'inherit' };
}

async function connect(client, transport, call) {
    await client.connect(transport);
    return {
        remembers: true,
        reports_progress: true,
        instructions: client.getInstructions(),
        list: async () => (await client.listTools()).tools,
        call: (name, args, onprogress) => call({ name, arguments: args }, { onprogress }),
        async close() {
            await transport.terminateSession?.(); // Streamable HTTP
            const { pid } = transport; // stdio
            await client.close();
            if (pid) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
        },
    };
}

/** SDK 1.x: `target` is a command, or an HTTP server. */
export async function sdk_1(target, folder) {
    const client = new Client1(identity);
    const transport = Array.isArray(target)
        ? new Stdio1(stdio_parameters(target, folder))
        : new Http1(new URL(target.url), { requestInit: { headers: target.headers } });
    return connect(client, transport, (parameters, options) =>
        client.callTool(parameters, undefined, options),
    );
}

/** SDK 2.x, which asks for the revisions of the server and must choose the newest one. `answer`: answers the server's questions
 *  to the user. */
export async function sdk_2(target, folder, answer = undefined) {
    const client = new Client2(identity, {
        capabilities: answer ? { elicitation: { form: {} } } : {},
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: 60_000 } },
    });
    if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params));
    const transport = Array.isArray(target)
        ? new Stdio2(stdio_parameters(target, folder))
        : new Http2(new URL(target.url), { requestInit: { headers: target.headers } });
    const connected = await connect(client, transport, (parameters, options) =>
        client.callTool(parameters, options),
    );
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    return connected;
}

/** The Inspector's command line, which connects for each call. */
export async function inspector(target, folder) {
    const stdio = Array.isArray(target);
    const options = ['--connect-timeout', '60000'];
    if (stdio) {
        const file = `${folder}/mcp.json`;
        const [command, ...args] = target;
        const eyehand = { type: 'stdio', command, args, env: process.env };
        writeFileSync(file, JSON.stringify({ mcpServers: { eyehand } }));
        options.push('--config', file, '--server', 'eyehand');
    } else {
        options.push('--server-url', target.url, '--transport', 'http', '--protocol-era', 'modern');
        for (const [name, value] of Object.entries(target.headers))
            options.push('--header', `${name}: ${value}`);
    }
    const env = { ...process.env, HOME: folder, MCP_INSPECTOR_SECRET_STORE: 'memory' };

    // One process for all calls: loading the Inspector takes longer than a call.
    const child = fork(fileURLToPath(new URL('inspector_calls.mjs', import.meta.url)), { env, cwd: folder });
    const ended = once(child, 'exit');
    const run = async (...more) => {
        child.send([...options, ...more]);
        const [reply] = await Promise.race([
            once(child, 'message'),
            ended.then(() => assert.fail('the Inspector has ended')),
        ]);
        if (reply.output) return { ...reply, result: JSON.parse(reply.output) };
        throw Object.assign(new Error(reply.message), reply);
    };
    return {
        remembers: !stdio, // over HTTP, stateless clients share a session
        reports_progress: false,
        async list() {
            // This one as a user calls it.
            const program = fileURLToPath(
                new URL('../node_modules/.bin/mcp-inspector', import.meta.url),
            );
            const { stdout } = await promisify(execFile)(
                process.execPath,
                [program, '--cli', ...options, '--method', 'tools/list', '--strict'],
                { env, cwd: folder },
            );
            return JSON.parse(stdout).tools;
        },
        async call(name, args) {
            const { result, exit_code } = await run(
                '--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args),
            );
            assert.equal(exit_code, result.isError ? 5 : 0);
            return result;
        },
        async close() {
            child.disconnect();
            await ended;
        },
    };
}
