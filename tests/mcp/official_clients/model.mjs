// A model for `run_task`: it looks at the screen once, then it is done.
import { once } from 'node:events';
import { createServer } from 'node:http';

export async function start_model() {
    const server = createServer(async (request, response) => {
        let body = '';
        for await (const part of request) body += part;
        const has_looked = body && JSON.parse(body).messages.some((one) => one.role === 'tool');
        const message = has_looked
            ? { role: 'assistant', content: 'The screen is visible.' }
            : {
                  role: 'assistant',
                  content: 'I look.',
                  tool_calls: [
                      {
                          id: 'call_1',
                          type: 'function',
                          function: { name: 'observe_screen', arguments: '{}' },
                      },
                  ],
              };
        response.setHeader('Content-Type', 'application/json');
        response.end(
            JSON.stringify({
                id: 'chatcmpl-1',
                object: 'chat.completion',
                model: 'scripted',
                choices: [{ index: 0, message, finish_reason: has_looked ? 'stop' : 'tool_calls' }],
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
        stop() {
            server.close();
            server.closeAllConnections();
        },
    };
}
