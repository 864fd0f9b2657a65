// Differences between two lists: the lines of two texts, or the messages of two requests.

const maxCells = 4_000_000; // of the table; longer lists count as replaced

/** The lengths of the longest common subsequences of all ends of `a` and `b`, row by row. */
function tableOf(a, b) {
    const width = b.length + 1;
    const table = new Uint32Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; --i) {
        for (let j = b.length - 1; j >= 0; --j) {
            table[i * width + j] = a[i] === b[j] ? table[(i + 1) * width + j + 1] + 1
                : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
        }
    }
    return table;
}

/** The changes from `before` to `after`, two lists of texts: [{ kind: 'same' | 'removed' | 'added', value }, ...] */
export function changesOf(before, after) {
    let start = 0;
    while (start < before.length && start < after.length && before[start] === after[start]) ++start;
    let end = 0;
    while (end < before.length - start && end < after.length - start &&
        before[before.length - 1 - end] === after[after.length - 1 - end]) ++end;
    const a = before.slice(start, before.length - end);
    const b = after.slice(start, after.length - end);
    const as = (kind) => (value) => ({ kind, value });
    const changes = before.slice(0, start).map(as('same'));
    if (a.length * b.length > maxCells) {
        changes.push(...a.map(as('removed')), ...b.map(as('added')));
    } else {
        const table = tableOf(a, b);
        const length = (i, j) => table[i * (b.length + 1) + j];
        let i = 0;
        let j = 0;
        while (i < a.length || j < b.length) {
            if (i < a.length && j < b.length && a[i] === b[j]) {
                changes.push({ kind: 'same', value: a[i] });
                ++i;
                ++j;
            } else if (i < a.length && (j === b.length || length(i + 1, j) >= length(i, j + 1))) {
                changes.push({ kind: 'removed', value: a[i++] });
            } else {
                changes.push({ kind: 'added', value: b[j++] });
            }
        }
    }
    changes.push(...before.slice(before.length - end).map(as('same')));
    return changes;
}

/** The changed lines of a text with `context` unchanged lines around them; { kind: 'gap', count } replaces the others. */
export function lineDiff(before, after, context = 2) {
    const changes = changesOf(before.split('\n'), after.split('\n'));
    const near = changes.map(() => false);
    changes.forEach(({ kind }, index) => {
        if (kind === 'same') return;
        for (let i = Math.max(0, index - context); i <= Math.min(changes.length - 1, index + context); ++i) near[i] = true;
    });
    const lines = [];
    changes.forEach((change, index) => {
        const last = lines[lines.length - 1];
        if (near[index]) lines.push(change);
        else if (last?.kind === 'gap') ++last.count;
        else lines.push({ kind: 'gap', count: 1 });
    });
    return lines;
}

/**
 * How the messages `replaced` became the messages `added`: [{ kind: 'same' | 'removed' | 'added' | 'changed', message,
 * before, index }, ...]; `index` is the place in `added`. A changed message replaces one of the same role.
 */
export function messageChanges(replaced, added) {
    const changes = changesOf(replaced.map((message) => JSON.stringify(message)), added.map((message) => JSON.stringify(message)));
    const groups = []; // of changes between unchanged messages
    for (const { kind, value } of changes) {
        const message = JSON.parse(value);
        if (kind === 'same') groups.push({ same: message });
        else if (groups.length === 0 || groups[groups.length - 1].same) groups.push({ removed: [], added: [], [kind]: [message] });
        else groups[groups.length - 1][kind].push(message);
    }
    const result = [];
    const removedAs = (message) => ({ kind: 'removed', message });
    let index = 0;
    for (const group of groups) {
        if (group.same) {
            result.push({ kind: 'same', message: group.same, index: index++ });
            continue;
        }
        for (const message of group.added) {
            const at = group.removed.findIndex((one) => one.role === message.role);
            const taken = group.removed.splice(0, at + 1);
            const before = taken.pop();
            result.push(...taken.map(removedAs));
            result.push(before === undefined ? { kind: 'added', message, index: index++ } : { kind: 'changed', message, before, index: index++ });
        }
        result.push(...group.removed.map(removedAs));
    }
    return result;
}
