import { parse, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';

/** Only the beginning of a longer record is examined; its cut end is not reported as a fault. */
const KNOWN_BYTES = 64 * 1024;
const VALUE_LENGTH_MAX = 40;
const INT_MIN = -(2n ** 63n);
const UINT_MAX = 2n ** 64n - 1n;

/**
 * Says what is wrong with a JSON text, and where, because the engine only says that something is
 * wrong. It is used for the first bad record of an upload.
 * @returns e.g. `malformed JSON: comma expected at column 12`, with advice where the fault is a
 *   common one; undefined when nothing is found, or the text is nested too deep to look.
 */
export function explainRefusedJson(text: string): string | undefined {
  const errors: ParseError[] = [];
  const isCut = Buffer.byteLength(text) >= KNOWN_BYTES - 1;
  try {
    parse(text, errors, { disallowComments: true, allowTrailingComma: false });
    const [first] = errors;
    if (!first) return unstorable(text, parseTree(text), undefined);
    if (isCut && first.offset + first.length >= text.length) return undefined;
    const what = printParseErrorCode(first.error)
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase();
    return `malformed JSON: ${what} at column ${first.offset + 1}${advice(text, first)}`;
  } catch (error) {
    // Its parser calls itself for each level.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const OBJECT_OR_LIST = /^\s*[[{]/;
/** The standard HTTPHandler of Python's logging sends these. */
const FORM = /^[\w.%+-]+=[^&\s]*(?:&[\w.%+-]+=[^&\s]*)*$/;
const CURLY_QUOTE = /[\u2018-\u201f]/;

const WORD_MAX = 200;

/** Values that JavaScript, Python or JSON5 write, at the place of the fault. */
const FOREIGN_VALUES: readonly (readonly [RegExp, string])[] = [
  [/^-?(?:NaN|Infinity)\b/, 'JSON has no NaN and no infinity: send null (json.dumps of Python writes them, allow_nan=False finds them)'],
  [/^(?:None|undefined)\b/, 'the value that is none is null in JSON'],
  [/^(?:True|False)\b/, 'JSON has true and false in small letters'],
  [/^\+\d/, 'a number in JSON has no + before it'],
  [/^-?\.\d/, 'a number in JSON begins with a digit, as 0.5'],
  [/^[A-Za-z_$][\w$]*\s*:/, 'names in JSON stand in double quotes'],
]; // prettier-ignore

/** Says what to send instead, where the fault is one that people often make. */
function advice(text: string, { error, offset }: ParseError): string {
  const fault = text.charAt(offset);
  if (CURLY_QUOTE.test(fault)) return `; ${fault} is a curly quote, JSON has straight ones, "`;
  if (fault === "'") return `; JSON has double quotes, and not '`;
  const found = FOREIGN_VALUES.find(([value]) => value.test(text.slice(offset, offset + WORD_MAX)));
  if (found) return `; ${found[1]}`;
  if (/^[\]}]/.test(fault) && text.slice(0, offset).trimEnd().endsWith(','))
    return `; JSON has no comma before ${fault}`;
  if (FORM.test(text)) return '; the body is a form, name=value&…, of which no record is made: send {"name":"value"}'; // prettier-ignore
  if (!OBJECT_OR_LIST.test(text)) return '; a record is an object, as {"a":1}; CSV goes to _csv';
  if (fault === '{' && printParseErrorCode(error) === 'EndOfFileExpected')
    return '; each record wants a line of its own: curl -d takes line breaks out of a file, --data-binary keeps them';
  return '';
}

/**
 * Finds the first value that JSON's grammar allows and no column takes. Its field is the one of the
 * record that contains it.
 */
function unstorable(
  text: string,
  node: Node | undefined,
  field: string | undefined,
): string | undefined {
  if (!node) return undefined;
  const { type, offset, length, children = [] } = node;
  const where = `${field === undefined ? '' : `field ${JSON.stringify(field)}, `}column ${offset + 1}`;
  if (type === 'number') {
    const written = text.slice(offset, offset + length);
    return isBeyond(written)
      ? `${where}: the number ${shortened(written)} is beyond 64 bits; send it as text`
      : undefined;
  }
  if (type === 'string')
    return isWellFormed(String(node.value))
      ? undefined
      : `${where}: the text has half of a surrogate pair (\\uD800 to \\uDFFF), which is no character`;
  for (const child of children) {
    const name = child.type === 'property' ? (child.children?.[0]?.value as string) : undefined;
    const found = unstorable(text, child, field ?? name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isBeyond = (written: string): boolean =>
  /^-?\d+$/.test(written)
    ? BigInt(written) < INT_MIN || BigInt(written) > UINT_MAX
    : !Number.isFinite(Number(written));

/** Each half of a surrogate pair has the other half beside it. */
const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

const shortened = (written: string): string =>
  written.length > VALUE_LENGTH_MAX ? `${written.slice(0, VALUE_LENGTH_MAX)}…` : written;
