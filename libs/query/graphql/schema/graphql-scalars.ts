import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

/** A number as it was written, because long ones do not fit into JavaScript's numbers. */
export class NumberText {
  constructor(readonly text: string) {}
}

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/**
 * Reads a literal with its numbers as they are written. Variables within it are replaced by their
 * values.
 */
function readLiteral(node: ValueNode, variables?: Variables): unknown {
  switch (node.kind) {
    case Kind.VARIABLE:
      return readVariable(variables?.[node.name.value] ?? null);
    case Kind.INT:
    case Kind.FLOAT:
      return new NumberText(node.value);
    case Kind.STRING:
    case Kind.ENUM:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.NULL:
      return null;
    case Kind.LIST:
      return node.values.map((each) => readLiteral(each, variables));
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [name.value, readLiteral(value, variables)]),
      );
  }
}

/** Does the same for a value in the variables' JSON. */
function readVariable(value: unknown): unknown {
  if (typeof value === 'number') {
    if (Number.isInteger(value) && !Number.isSafeInteger(value))
      throw new GraphQLError(`send ${value} as a string: JSON numbers lose digits beyond 2^53`);
    return new NumberText(String(value));
  }
  if (value instanceof NumberText) return value;
  if (Array.isArray(value)) return value.map(readVariable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, readVariable(each)]));
}

/** Makes the type of a column's conditions. The values in it are checked against the column. */
function condition(name: string, of: string, operators: string): GraphQLScalarType {
  return new GraphQLScalarType({
    name,
    description: `${of} that it equals, null, or an object of operators, all of which hold: ${operators}.`,
    parseLiteral: readLiteral,
    parseValue: readVariable,
  });
}

const ORDERED = 'eq, ne, lt, lte (lteq), gt, gte (gteq), in, nin, isnull';

export const CONDITIONS = {
  text: condition('TextCondition', 'A text', `${ORDERED}, like, nlike, ilike`),
  number: condition('NumberCondition', 'A number', ORDERED),
  boolean: condition('BooleanCondition', 'true or false', 'eq, ne, in, nin, isnull'),
  time: condition('TimeCondition', 'A time, ISO 8601 or a number since 1970,', ORDERED),
  date: condition('DateCondition', 'A date, YYYY-MM-DD,', ORDERED),
  clock: condition('TimeOfDayCondition', 'A time of day, hh:mm:ss,', ORDERED),
  uuid: condition('UuidCondition', 'A UUID', ORDERED),
  list: condition('ListCondition', 'Nothing: a list compares with no value; there is', 'isnull'),
  object: condition('JsonCondition', 'Nothing: JSON compares with no value; there is', 'isnull'),
} as const;

function output(name: string, description: string): GraphQLScalarType {
  return new GraphQLScalarType({ name, description });
}

export const INT64 = output('Int64', 'A whole number of 64 bits, as a JSON number.');
export const TIMESTAMP = output(
  'Timestamp',
  'A time, ISO 8601; without a zone where the column has none.',
);
export const DECIMAL = output('Decimal', 'A JSON number with all its digits.');
export const DATE = output('Date', 'A date, YYYY-MM-DD.');
export const TIME_OF_DAY = output('TimeOfDay', 'A time of day, hh:mm:ss with its fraction.');
export const UUID_VALUE = output('UUID', 'A UUID as text.');
export const JSON_VALUE = output('JSON', 'Any JSON: an object, a list or a value.');

function word(name: string, description: string, pattern: RegExp): GraphQLScalarType<string> {
  const read = (value: unknown): string => {
    if (typeof value === 'string' && pattern.test(value)) return value;
    throw new GraphQLError(`${name}: ${description}, not ${JSON.stringify(value)?.slice(0, 40)}`);
  };
  return new GraphQLScalarType<string>({
    name,
    description,
    parseLiteral: (node) =>
      read(node.kind === Kind.STRING || node.kind === Kind.ENUM ? node.value : undefined),
    parseValue: read,
  });
}

export const SORT_ORDER = word('SortOrder', 'asc or desc, quoted or not', /^(?:asc|desc)$/i);
export const FIELD_NAME = word('FieldName', 'name of a field, quoted or not', /^./s);

/** Scalars of arguments. A variable of any scalar type is accepted; its content is judged later. */
export const LENIENT: ReadonlySet<string> = new Set([
  ...Object.values(CONDITIONS).map(({ name }) => name),
  SORT_ORDER.name,
  FIELD_NAME.name,
]);
