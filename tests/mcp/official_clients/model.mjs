// A model for `run_task`: it calls one tool, then it is done.
import { once } from 'node:events';
import { createServer } from 'node:http';

/** `act` returns the call: the name of a tool and its arguments. */
export async function start_model(act = () => ['observe_screen', {}]) {
    let is_silent = false;
    const server = createServer(async (request, response) => {
        let body = '';
        for await (const part of request) body += part;
        if (is_silent) return; // until the connection is closed
        const has_acted = body && JSON.parse(body).messages.some((one) => one.role === 'tool');
        const [name, args] = act();
        const message = has_acted
            ? { role: 'assistant', content: 'The screen is visible.' }
            : {
                  role: 'assistant',
                  content: 'I act.',
                  tool_calls: [
                      {
                          id: 'call_1',
                          type: 'function',
                          function: { name, arguments: JSON.stringify(args) },
                      },
                  ],
              };
        response.setHeader('Content-Type', 'application/json');
        response.end(
            JSON.stringify({
                id: 'chatcmpl-1',
                object: 'chat.completion',
                model: 'scripted',
                choices: [{ index: 0, message, finish_reason: has_acted ? 'stop' : 'tool_calls' }],
                usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
            }),
        );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
        options: [
            '--allow-run-task', '--no-probe', '--profile', 'observer', '--model', 'scripted',
            '--endpoint', `http://127.0.0.1:${server.address().port}/v1`,
        ],
        /** Does not answer any more. */
        fall_silent() {
            is_silent = true;
        },
        stop() {
            server.close();
            server.closeAllConnections();
        },
    };
}
