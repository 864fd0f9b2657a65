// Characters that a reader does not see, or that show their neighbors in another order: a text could use them to look like
// another text. The same table and function as in libbase (eyehand/base/invisible.hpp).

/** [first, last], in ascending order. */
export const invisibleRanges = [
    [0x0000, 0x0008], [0x000b, 0x001f], [0x007f, 0x009f], [0x00ad, 0x00ad], [0x034f, 0x034f], [0x061c, 0x061c],
    [0x115f, 0x1160], [0x17b4, 0x17b5], [0x180b, 0x180f], [0x200b, 0x200f], [0x2028, 0x202e], [0x2060, 0x206f],
    [0x3164, 0x3164], [0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff0, 0xfffb], [0x1bca0, 0x1bca3],
    [0x1d173, 0x1d17a], [0xe0000, 0xe0fff],
];

const inClass = (scalar) => `\\u{${scalar.toString(16)}}`;
const invisible = invisibleRanges.map(([first, last]) => `${inClass(first)}-${inClass(last)}`).join('');
// A carriage return before a line break, and one selector of the style of a symbol, are parts of visible characters.
const hidden = new RegExp(`\\r\\n|[^${invisible}\\u{0}-\\u{1fff}][\\u{fe0e}\\u{fe0f}]|[${invisible}]`, 'gu');

const escapeOf = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The text with an escape such as "\u202e" in place of each invisible character, as in JSON. */
export function escapeInvisible(text) {
    return text.replace(hidden, (found) => {
        const first = found.codePointAt(0);
        const isInvisible = invisibleRanges.some(([from, to]) => first >= from && first <= to);
        return isInvisible && found !== '\r\n' ? found.split('').map(escapeOf).join('') : found;
    });
}
