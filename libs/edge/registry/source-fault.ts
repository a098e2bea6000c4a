import { WarehouseError } from '@app/warehouse';
import { NO_SUCH_VALUE } from '../sources/databases/remote-column.js';

/** The engine's error numbers for files that do not exist, or cannot be opened. */
const GONE = new Set([74, 75, 76, 87, 107, 400, 481]);
/**
 * The engine's error numbers for servers and stores that refuse, do not answer, or answer
 * unexpectedly.
 */
const AWAY = new Set([86, 198, 203, 209, 210, 279, 483, 499, 500, 614]);
/**
 * The engine's error numbers for the libraries that read Delta tables, Iceberg tables and
 * databases.
 */
const LAKES = new Set([591, 742, 743]);
/** Errors of libraries within the engine have no number of their own. */
const FOREIGN = new Set([1000, 1001]);
const CONNECTIONS = /Poco::Net|mysqlxx|pqxx|libpq|Azure|AWS/;
/** The words by which the engine names the source that it was reading. */
const PLACE = /:?\s*\(in file\/uri [^)]*\)/g;
/**
 * Conditions on rows are computed while rows are read. In that case the statement fails, not the
 * source.
 */
const COMPUTED =
  /while executing '?(?:FUNCTION|function)|Cannot convert string '|while converting '/i;
const NO_FILES = /there are no files/i;
/** A value of another type than its column, such as NaN in a column of decimals. */
const UNREADABLE_VALUE = /Cannot parse PostgreSQL value '[^']{0,40}' as [\w(), ]+/;
const LOCKED = /database is locked/;
const REASON_MAX = 300;

export const NOT_THERE =
  'what it is read from is not there any more, or cannot be opened; put it back, or register the table anew';

/**
 * Says what is wrong with the files or the server of a table. It is undefined if the statement is
 * at fault.
 */
export function sourceFault({ code, message }: WarehouseError): string | undefined {
  if (GONE.has(code) || NO_FILES.test(message)) return NOT_THERE;
  if (AWAY.has(code) || (FOREIGN.has(code) && CONNECTIONS.test(message)))
    return 'the server that it is read from does not answer as it should; try again later';
  const value = NO_SUCH_VALUE.exec(message)?.[0] ?? UNREADABLE_VALUE.exec(message)?.[0];
  // The engine writes a text within its message so.
  if (value !== undefined) return value.replace(/\\(['\\])/g, '$1');
  if (LOCKED.test(message)) return 'another program is writing to its database; try again';
  if (LAKES.has(code)) return 'what it is read from is not there, or damaged';
  if (message.search(PLACE) === -1 || COMPUTED.test(message)) return undefined;
  return `what it is read from is not what it was when it was registered: ${reasonOf(message)}`;
}

/** The failure without the path or URL that the engine was reading. */
export function withoutPlace(failure: WarehouseError): WarehouseError {
  const { code, type, message, cause } = failure;
  const bare = message.replace(PLACE, '');
  return bare === message ? failure : new WarehouseError(code, type, bare, { cause });
}

/** The engine's message up to the place. The rest may name other places. */
function reasonOf(message: string): string {
  const sentence = message
    .replace(PLACE, '')
    .replace(/Code: \d+\. DB::Exception: /g, '')
    .replace(/(?: \([A-Z_]+\))?(?: \(version [^)]*\))?[ .]*You can specify the structure.*$/s, '')
    .replace(/:? ?While executing .*$/s, '')
    .replace(/(?:\/[^\s/'"]+){2,}/g, '…')
    .replace(/\s+/g, ' ')
    .replace(/[\s:]+$/, '');
  return sentence.length > REASON_MAX ? `${sentence.slice(0, REASON_MAX)}…` : sentence;
}
