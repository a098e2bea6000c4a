import { MillraceError } from '@app/platform';
import { COLUMNS_MAX } from '@app/streams';
import { namedByHeader } from '@app/warehouse';

/**
 * Names of the columns, each by its place.
 * @throws {MillraceError} MALFORMED_BODY
 */
export function columnNames(headerLine: string, delimiter: string): readonly string[] {
  const fields = fieldsOf(headerLine, delimiter);
  if (fields.length > COLUMNS_MAX)
    throw new MillraceError(
      'MALFORMED_BODY',
      `the header names ${fields.length} columns, and a stream can have ${COLUMNS_MAX}`,
    );
  return namedByHeader(fields.map((field) => field.trim()));
}

function fieldsOf(line: string, delimiter: string): string[] {
  const fields: string[] = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (quoted) {
      if (character !== '"') field += character;
      else if (line.charAt(at + 1) === '"') field += line.charAt((at += 1));
      else quoted = false;
    } else if (character === '\r') {
      throw new MillraceError(
        'MALFORMED_BODY',
        `malformed CSV: a carriage return at character ${at + 1} of the header; end lines with \\n or \\r\\n`,
      );
    } else if (character === '"' && field.trim() === '') {
      field = '';
      quoted = true;
    } else if (character === delimiter) {
      fields.push(field);
      field = '';
    } else field += character;
  }
  return [...fields, field];
}
