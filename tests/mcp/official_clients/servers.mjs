// Starts `agent-cli mcp`, natively or through Wine.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The path of a file as the server needs it. */
export const path_for = (server, file) => (server.wine ? 'Z:' + file.replaceAll('/', '\\') : file);

/** `agent-cli mcp` with these options as a command. */
export function mcp_command(server, options) {
    const all = [server.program, 'mcp', ...options];
    return server.wine ? ['wine', ...all] : all;
}

/** A server of Streamable HTTP on a free port. */
export async function start_http_server(server, options, folder) {
    const [program, ...args] = mcp_command(server, [...options, '--http', '0']);
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    const lines = [];
    let url, token;
    const reader = createInterface({ input: child.stderr });
    const ended = once(child, 'exit');
    ended.then(() => reader.close());
    for await (const line of reader) {
        lines.push(line);
        url = line.match(/^MCP endpoint: (\S+)/)?.[1] ?? url;
        token = line.match(/Authorization: Bearer (\S+)/)?.[1] ?? token;
        if (url && token) break;
    }
    assert.ok(url && token, `the server does not start:\n${lines.join('\n')}`);
    child.stderr.resume(); // a full pipe would block the server
    return {
        url,
        headers: { Authorization: `Bearer ${token}` },
        async stop() {
            child.kill('SIGINT');
            await ended;
            child.stderr.destroy(); // programs that the server has launched may hold the pipe
        },
    };
}
