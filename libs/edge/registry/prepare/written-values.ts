import {
  quoteIdentifier,
  quoteText,
  WarehouseError,
  type Column,
  type SourceEngine,
} from '@app/warehouse';
import { settingsClause, structureOf, type Source } from '../../sources/source.js';

/** So many rows are looked at where they come from another machine. */
const FAR_ROWS = 100_000;

const DAYS =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
const LEAP_DAYS =
  '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29';
/** A day that a calendar has, as ISO 8601 writes it. */
const DAY = `(?:[0-9]{4}-${DAYS}|${LEAP_DAYS})`;
const ZONE = '(?: ?(?:Z|[-+][0-9]{2}(?::?[0-9]{2})?))?';
const timeOf = (digits: number): string =>
  `^${DAY}(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,${digits}}0*)?)?${ZONE})?$`;
/** Years that a time with nanoseconds can have. */
const NANOSECOND_YEARS = '^(?:19[0-9]{2}|2[01][0-9]{2}|22[0-5][0-9]|226[01])';
const NANOSECONDS = "DateTime64(9, 'UTC')";

/** The engine's names of what is wrong with the bytes of a file. */
const BROKEN =
  /^(?:CANNOT_(?:PARSE|READ)_\w+|INCORRECT_DATA|ATTEMPT_TO_READ_AFTER_EOF|UNEXPECTED_END_OF_FILE)$/;

/** Conditions on a text: what the type that was inferred changes of it. */
interface Doubt {
  /** It is not what the text says. */
  readonly isOther: string;
  /** It has not all of its digits, and nanoseconds have them. */
  readonly isFiner?: string;
  /** Nanoseconds are not there for its year. */
  readonly isFar?: string;
}

/**
 * Gives columns of CSV types that hold what is written there. The engine reads `01/02/2020` as the
 * first of February beside `12/31/2019`, makes a time of `2020-01-01-001`, and rounds integers of
 * 20 digits: such columns are texts, as those of an upload are.
 */
export async function holdingWhatIsWritten(
  columns: readonly Column[],
  source: Source,
  statements: SourceEngine['statements'],
): Promise<readonly Column[]> {
  const doubtful = columns.filter((column) => doubtOf(column) !== undefined);
  if (doubtful.length === 0) return columns;
  const asTexts = columns.map((column) =>
    doubtful.includes(column) ? { name: column.name, type: 'Nullable(String)' } : column,
  );
  const tests = doubtful.flatMap((column) => {
    const { isOther = '0', isFiner = '0', isFar = '0' } = doubtOf(column) ?? {};
    return [isOther, isFiner, isFar].map((each) => `ifNull(max(${each}), 0)`);
  });
  const names = doubtful.map(({ name }) => quoteIdentifier(name)).join(', ');
  const bound = source.files === undefined ? ` LIMIT ${FAR_ROWS}` : '';
  const sql =
    `SELECT ${tests.join(', ')} FROM (SELECT ${names} FROM ${source.call(structureOf(asTexts))}${bound})` +
    `${settingsClause(source.settings)} FORMAT JSONCompactEachRow`;
  const answer = await statements.run(sql).catch((error: unknown) => {
    // A broken row is reported with its place when it is read.
    if (error instanceof WarehouseError && BROKEN.test(error.type)) return undefined;
    throw error;
  });
  if (answer === undefined) return columns;
  const found = (JSON.parse(answer) as readonly unknown[]).map((each) => Number(each) !== 0);
  return columns.map((column) => {
    const at = doubtful.indexOf(column) * 3;
    if (at < 0) return column;
    const [isOther, isFiner, isFar] = found.slice(at, at + 3);
    if (isOther || (isFiner && isFar)) return { name: column.name, type: 'Nullable(String)' };
    return isFiner ? { name: column.name, type: `Nullable(${NANOSECONDS})` } : column;
  });
}

function doubtOf({ name, type }: Column): Doubt | undefined {
  const text = `trimBoth(${quoteIdentifier(name)})`;
  const match = (value: string, pattern: string): string =>
    `match(${value}, ${quoteText(pattern)})`;
  switch (type.replace(/^Nullable\((.*)\)$/, '$1')) {
    case 'Date32':
      return { isOther: `NOT ${match(`replaceAll(${text}, '/', '-')`, `^${DAY}$`)}` };
    case "DateTime64(6, 'UTC')":
      return {
        isOther: `NOT ${match(text, timeOf(9))}`,
        isFiner: `NOT ${match(text, timeOf(6))}`,
        isFar: `NOT ${match(text, NANOSECOND_YEARS)}`,
      };
    case 'Float64': {
      const isWhole = match(text, '^[-+]?[0-9]{16,76}$');
      const exact = `toInt256OrZero(replaceOne(${text}, '+', ''))`;
      const rounded = `toInt256(if(${isWhole}, toFloat64OrZero(${text}), 0))`;
      return {
        isOther: `${match(text, '^[-+]?[0-9]{77,}$')} OR (${isWhole} AND ${exact} != ${rounded})`,
      };
    }
    default:
      return undefined;
  }
}
