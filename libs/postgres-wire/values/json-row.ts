const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPEN: ReadonlySet<number | undefined> = new Set([0x5b, 0x7b]);
const CLOSE: ReadonlySet<number | undefined> = new Set([0x5d, 0x7d]);

/**
 * Splits one array of JSON into the bytes of its elements, so that no digit of a number is lost. It
 * is only for the engine's output, which has no blanks between elements.
 */
export function elementsOf(json: Buffer): readonly Buffer[] {
  const elements: Buffer[] = [];
  let depth = 0;
  let from = 1;
  const end = json.length - 1;
  for (let at = 1; at < end; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfText(json, at);
    else if (byte === COMMA && depth === 0) {
      elements.push(trimmed(json, from, at));
      from = at + 1;
    } else if (OPEN.has(byte)) depth += 1;
    else if (CLOSE.has(byte)) depth -= 1;
  }
  if (end > from) elements.push(trimmed(json, from, end));
  return elements;
}

const SPACE = 0x20;

function trimmed(json: Buffer, from: number, end: number): Buffer {
  let [first, last] = [from, end];
  while (json[first] === SPACE) first += 1;
  while (json[last - 1] === SPACE) last -= 1;
  return json.subarray(first, last);
}

/** Index of the quote that ends the text. */
function endOfText(json: Buffer, start: number): number {
  let at = start;
  for (;;) {
    at = json.indexOf(QUOTE, at + 1);
    if (at === -1) return json.length;
    let before = at - 1;
    while (json[before] === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
}

export const isNull = (json: Buffer): boolean => json.length === 4 && json[0] === 0x6e;

/** The content of a text, or the bytes of any other value. */
export function bytesOf(json: Buffer): Buffer {
  if (json[0] !== QUOTE) return json;
  const inner = json.subarray(1, -1);
  if (!inner.includes(BACKSLASH)) return inner;
  // The text has one character for each byte, so that invalid UTF-8 is kept. Only escapes may give
  // other characters.
  const text = JSON.parse(json.toString('latin1')) as string;
  return BEYOND_A_BYTE.test(text)
    ? Buffer.concat([...text].map((each) => Buffer.from(each, each > '\u00ff' ? 'utf8' : 'latin1')))
    : Buffer.from(text, 'latin1');
}

const BEYOND_A_BYTE = /[\u0100-\uffff]/;
