// The messages of a request, with the differences from the previous request of the same role.
import { element } from './element.js';
import { lineDiff, messageChanges } from './diff.js';
import { count, counted, laidOut, messagesOf, screenshotOf, turnOfRequest } from './run.js';

const missing = 'This text is missing or was changed.';

/** An element that is filled when the user expands it. `content` returns or resolves to its children. */
function expandable(title, content, name = '') {
    const place = element('div');
    const details = element('details', { class: name }, element('summary', {}, title), place);
    let filled = false;
    details.addEventListener('toggle', async () => {
        if (!details.open || filled) return;
        filled = true;
        try {
            place.replaceChildren(...[await content()].flat().filter((child) => child !== null));
        } catch {
            filled = false; // the next time, the server may respond
            place.replaceChildren(element('p', { class: 'muted' }, 'The texts cannot be loaded. Close this section and open it again.'));
        }
        details.dataset.filled = String(filled);
    });
    return details;
}

function imageName(sha256, run) {
    const screenshot = screenshotOf(run, sha256);
    return screenshot ? `[screenshot of turn ${screenshot.turn}]` : `[image ${sha256.slice(0, 12)}…]`;
}

/** A message as one text. */
async function textOf(message, { run, texts }) {
    const parts = await Promise.all(message.parts.map(async (part) =>
        ('image' in part ? imageName(part.image, run()) : await texts.textOf(part.text) ?? `[${missing}]`)));
    const calls = message.calls.map(({ tool, arguments: argument }) => `[call ${tool}] ${laidOut(argument)}`);
    return [...parts, ...calls].join('\n');
}

function block(text) {
    return element('pre', { tabindex: '0' }, text);
}

const signs = { same: '  ', removed: '− ', added: '+ ' };

function diffBlock(before, after) {
    return element('pre', { class: 'diff', tabindex: '0' }, ...lineDiff(before, after).map((line) => {
        if (line.kind === 'gap') return element('span', { class: 'gap' }, `… ${counted(line.count, 'unchanged line')} …\n`);
        const tag = { removed: 'del', added: 'ins' }[line.kind] ?? 'span';
        return element(tag, {}, `${signs[line.kind]}${line.value}\n`);
    }));
}

const kindWords = { added: ['new', 'good'], changed: ['changed', 'wait'], removed: ['removed', 'bad'] };

function head(number, message, kind) {
    const [word, color] = kindWords[kind] ?? [];
    return element('p', { class: 'message-head' },
        element('span', {}, `${number > 0 ? `Message ${count(number)}: ` : ''}${message.role}`),
        message.call_id ? element('span', { class: 'muted' }, `answers ${message.call_id}`) : null,
        word ? element('span', { class: 'chip', 'data-kind': color }, word) : null);
}

async function whole(number, message, kind, context) {
    return element('li', { 'data-kind': kind }, head(number, message, kind), block(await textOf(message, context)));
}

async function row({ kind, message, before, index }, item, context) {
    const number = index === undefined ? 0 : item.same + index + 1;
    if (kind === 'same') return element('li', { 'data-kind': kind, class: 'muted' }, `Message ${count(number)}: ${message.role}, unchanged`);
    if (kind === 'removed')
        return element('li', { 'data-kind': kind }, head(0, message, kind),
            expandable('Text of the removed message', async () => block(await textOf(message, context))));
    if (kind === 'added') return whole(number, message, item.previous > 0 ? kind : '', context);
    const [old, now] = await Promise.all([textOf(before, context), textOf(message, context)]);
    return element('li', { 'data-kind': kind }, head(number, message, kind), diffBlock(old, now), expandable('Full text', () => block(now)));
}

function requestName(number, run) {
    const turn = turnOfRequest(run, number);
    return turn === null ? `request ${count(number)}` : `request ${count(number)} (turn ${turn})`;
}

function sameMessages(item, context) {
    if (item.same === 0) return null;
    const title = `${item.same === 1 ? 'Message 1 is' : `Messages 1 to ${count(item.same)} are`} the same as in ` +
        `${requestName(item.previous, context.run())}`;
    return expandable(title, async () => {
        const messages = messagesOf(context.run(), item.previous);
        if (messages === null) return element('p', { class: 'muted' }, 'The page does not have the earlier requests. The report of the run has them.');
        return element('ol', { class: 'messages' },
            ...await Promise.all(messages.slice(0, item.same).map((message, index) => whole(index + 1, message, '', context))));
    }, 'same-messages');
}

function textDetails(title, text, context) {
    return text === null || text === undefined ? null
        : expandable(title, async () => block(laidOut(await context.texts.textOf(text.text) ?? missing)));
}

/** `context`: {run(), texts}, the run of the page and the source of texts. */
export function requestDetails(item, context) {
    const changed = item.previous > 0 ? `${counted(item.added.length, 'message')} new or changed` : 'first request of the role';
    const number = `request ${count(item.number)}${item.sent ? '' : ' (not sent: the screen had changed)'}`;
    const title = ['Messages to the model', number, counted(item.messages, 'message'), changed].join(' · ');
    return expandable(title, async () => {
        const rows = await Promise.all(messageChanges(item.replaced, item.added).map((change) => row(change, item, context)));
        return [
            item.previous > 0 ? element('p', { class: 'muted' }, `Compared with ${requestName(item.previous, context.run())}:`) : null,
            sameMessages(item, context),
            element('ol', { class: 'messages' }, ...rows),
            item.left_out > 0 ? element('p', { class: 'muted' }, `${counted(item.left_out, 'message')} more ${item.left_out === 1 ? 'is' : 'are'} not shown.`) : null,
            textDetails(`Tools offered (${count(item.tool_count)})`, item.tools, context),
            textDetails('Required structure of the reply', item.structure, context),
        ];
    }, 'told-to-model');
}
