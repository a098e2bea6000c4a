/**
 * Gives columns of a table without a schema the names of its header. A missing name becomes
 * `column_<n>`, and a repeated one gets the next number: `name_2`.
 * @param written without blanks around them
 */
export function namedByHeader(written: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return written.map((text, index) => {
    const wanted = text === '' ? `column_${index + 1}` : text;
    let name = wanted;
    for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
    taken.add(name);
    return name;
  });
}

/**
 * The delimiter that a line of its own says before the names, `sep=;`, as Excel takes and writes it.
 * @param head the beginning of a text of CSV, without a byte order mark
 * @returns with the characters up to the end of that line; undefined: there is none
 */
export function toldDelimiter(
  head: string,
): { readonly delimiter: string; readonly length: number } | undefined {
  const [line, delimiter] = /^[\r\n]*sep=([^\r\n"])\r*\n/i.exec(head) ?? [];
  return line === undefined || delimiter === undefined
    ? undefined
    : { delimiter, length: line.length };
}

/** Delimiters that a file of CSV may have without saying so, the likeliest first. */
const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The delimiter that the first line has most of, outside quotes. */
export function likelyDelimiter(firstLine: string): string {
  const unquoted = firstLine.replace(/"(?:[^"]|"")*"?/g, '');
  const count = (delimiter: string): number => unquoted.split(delimiter).length;
  return DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best), ',');
}
