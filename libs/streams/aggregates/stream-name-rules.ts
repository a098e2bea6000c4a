import { POSITION_COLUMNS, TIMESTAMP } from '@app/warehouse';

const STREAM_NAME = /^[A-Za-z0-9.-][A-Za-z0-9_.-]{0,126}$/;
/**
 * The limit of a stream's name. The engine keeps a table in a file of its name, in which each `-`
 * and `.` takes three bytes. The file of a dropped table has the name of its database (34 bytes),
 * too, and a unique suffix.
 */
const ESCAPED_MAX = 179;

/** Says what is wrong with a stream's name, or undefined. */
export function streamNameProblem(name: string): string | undefined {
  // Clients and proxies would read these names as folders.
  if (name === '.' || name === '..') return `stream name ${JSON.stringify(name)}: want another one`;
  if (!STREAM_NAME.test(name)) {
    return `stream name ${JSON.stringify(name.slice(0, 140))}: want 1 to 127 letters (a-z, A-Z), digits, "_", "-" or ".", not starting with "_"`;
  }
  if (name.replace(/[-.]/g, '%2E').length > ESCAPED_MAX) {
    return `stream name ${JSON.stringify(name)}: each "-" and "." counts for three, and ${ESCAPED_MAX} is the most`;
  }
  return undefined;
}

const FIELD_NAME_BYTES_MAX = 256;
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Columns that every table of a stream has. */
export const OURS: readonly string[] = [TIMESTAMP.name, ...POSITION_COLUMNS];
/** The engine writes columns with these names into parts itself, so it creates none. */
const ENGINE_OWN = ['_block_number', '_block_offset', '_row_exists'];
const RESERVED = new Set([...OURS, ...ENGINE_OWN]);

/** Says why a field cannot become a column. Undefined where it can. */
export function fieldNameProblem(name: string): string | undefined {
  if (name === '') return 'has no name';
  if (Buffer.byteLength(name) > FIELD_NAME_BYTES_MAX)
    return `has a name of more than ${FIELD_NAME_BYTES_MAX} bytes`;
  if (CONTROL.test(name)) return 'has a control character in its name';
  if (RESERVED.has(name)) return 'has a name that Millrace uses itself';
  return undefined;
}
