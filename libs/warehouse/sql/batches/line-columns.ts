import { certain } from '@app/platform';
import { quoteIdentifier, quoteText } from '../../ddl/identifier.js';
import { TIMESTAMP } from '../../ddl/ddl.js';

/** The declaration of a column of lines in a statement, and the way to read it. */
interface LineColumns {
  /** Names and types in the form for the engine's `file`. */
  readonly structure: string;
  /** SQL of a column's value; its own name, unless it is read as another type. */
  readonly valueOf: (name: string) => string;
  /** SQL: the end of the statement that reads the file. */
  readonly settings: string;
}

/**
 * Reads a null in a list within an object as a null. By its usual setting the engine fits a null
 * into the type that it saw before, so `[null]` after `[{"c": 1}]` would become `[{}]`. Without
 * that setting a null needs a type that has nulls, which lists have only within a `Variant`.
 */
export function lineColumns(
  [time = '', ...columns]: readonly string[],
  types: readonly string[],
): LineColumns {
  if (time !== TIMESTAMP.name || columns.length !== types.length)
    throw new Error('lines want a type for each column, and their time first');
  const typed = columns.map((name, at) => ({ name, type: certain(types[at], `type of ${name}`) }));
  // Lists of anything, and of decimals, are read by that setting only, and not within a `Variant`.
  const hasObjects =
    types.some((type) => type.includes('JSON')) &&
    !types.some((type) => isList(type) && /Dynamic|Decimal/.test(type));
  const read = (type: string): string => {
    if (!hasObjects) return type;
    if (type === 'JSON') return 'Nullable(JSON)';
    return isList(type) ? `Variant(${type})` : type;
  };
  const lists = new Map<string, string>();
  if (hasObjects) for (const { name, type } of typed) if (isList(type)) lists.set(name, type);
  return {
    structure: [
      `${quoteIdentifier(time)} Nullable(Int64)`,
      ...typed.map(({ name, type }) => `${quoteIdentifier(name)} ${read(type)}`),
    ].join(', '),
    valueOf: (name) => {
      const quoted = quoteIdentifier(name);
      const type = lists.get(name);
      return type === undefined
        ? quoted
        : `variantElement(${quoted}, ${quoteText(type)}) AS ${quoted}`;
    },
    settings: hasObjects ? ' SETTINGS input_format_null_as_default = 0' : '',
  };
}

const isList = (type: string): boolean => type.startsWith('Array(');
