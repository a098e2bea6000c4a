import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser';

/**
 * What is wrong with a JSON text, and where: the engine only tells that something is. For the
 * first bad record of an upload.
 * @returns e.g. `malformed JSON: comma expected at column 12`; undefined when nothing is found, or the text is nested too deep to look.
 */
export function explainMalformed(text: string): string | undefined {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    // Its parser goes down a level by calling itself.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
  const [first] = errors;
  if (!first) return undefined;
  const what = printParseErrorCode(first.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return `malformed JSON: ${what} at column ${first.offset + 1}`;
}
