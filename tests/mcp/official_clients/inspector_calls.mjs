// Runs the Inspector's command line once for each list of arguments that its parent process sends, and answers with the
// output and the exit code.
import { runCli } from '../node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js';

process.on('message', async (args) => {
    const reply = { output: '', exit_code: 0, message: '', code: '' };
    const write = process.stdout.write;
    process.stdout.write = (text, ...rest) => {
        reply.output += text;
        rest.findLast((one) => typeof one === 'function')?.();
        return true;
    };
    try {
        await runCli([process.execPath, 'mcp-inspector', ...args]);
    } catch (error) {
        reply.exit_code = error.exitCode ?? 1;
        reply.message = error.message;
        reply.code = error.envelope?.code ?? error.code ?? '';
    }
    process.stdout.write = write;
    process.send(reply);
});
