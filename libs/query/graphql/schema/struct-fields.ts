import { GraphQLList, GraphQLObjectType, type GraphQLOutputType } from 'graphql';
import { quoteIdentifier, quoteText } from '@app/warehouse';
import { asJsonText } from '../../plan/binary-values.js';
import { readElement, readEngineType, typeWithin } from '../../plan/engine-type.js';
import { shownText, shownType } from '../../plan/wall-times.js';
import type { Selection, SelectionReader } from '../collect-selection.js';
import { Names } from './graphql-names.js';

/** The fields of structs, or of lists of structs, at one place. */
export interface StructFields {
  readonly type: GraphQLObjectType;
  /** The fields by their names. */
  readonly fields: ReadonlyMap<string, StructField>;
}

interface StructField {
  /** The number of the field, from 1, as the engine counts them. */
  readonly place: number;
  /** The engine's type. */
  readonly type: string;
  readonly struct: StructFields | undefined;
}

/** The number of fields within structs that a table may show; all others are values as a whole. */
const FIELDS_MAX = 1000;
const DEPTH_MAX = 10;

/** Makes the GraphQL types of the structs of one table's columns. */
export class StructTypes {
  private left = FIELDS_MAX;

  /** @param leaf gives the type of values that are no structs */
  constructor(
    private readonly names: Names,
    private readonly leaf: (type: string) => GraphQLOutputType,
  ) {}

  /** @returns undefined if the type has no structs, or too many fields */
  of(type: string, path: string, depth = 0): StructFields | undefined {
    const elements = elementsOf(type);
    if (!elements || depth >= DEPTH_MAX || elements.length > this.left) return undefined;
    this.left -= elements.length;
    const names = new Names([]);
    const fields = new Map<string, StructField & { readonly key: string }>();
    for (const [at, { key, type: element }] of elements.entries()) {
      const name = names.add(key);
      const struct = this.of(element, `${path}_${name}`, depth + 1);
      fields.set(name, { key, place: at + 1, type: element, struct });
    }
    const object = new GraphQLObjectType({
      name: this.names.add(path),
      fields: Object.fromEntries(
        [...fields].map(([name, { key, type: element, struct }]) => [
          name,
          {
            type: struct ? this.shown(element, struct) : this.leaf(element),
            description: key === name ? undefined : `Field ${JSON.stringify(key)}.`,
          },
        ]),
      ),
    });
    return { type: object, fields };
  }

  /** The struct, or a list of structs. */
  shown(type: string, struct: StructFields): GraphQLOutputType {
    const read = readEngineType(type);
    if (read.name === 'Array') return new GraphQLList(this.shown(typeWithin(read), struct));
    return read.name === 'Nullable' ? this.shown(typeWithin(read), struct) : struct.type;
  }
}

/**
 * The elements of a struct, or of the structs in a list. Undefined if there is no struct, or its
 * fields have no names.
 */
function elementsOf(
  type: string,
): readonly { readonly key: string; readonly type: string }[] | undefined {
  const read = readEngineType(type);
  if (read.name === 'Array' || read.name === 'Nullable') return elementsOf(typeWithin(read));
  if (read.name !== 'Tuple' || read.parameters.length === 0) return undefined;
  const elements = read.parameters.map((parameter) => {
    const element = readElement(parameter.replace(/\s+/g, ' '));
    return { key: unquoted(element.name.trimEnd()), type: element.type };
  });
  return elements.every(({ key }) => key !== '') ? elements : undefined;
}

const unquoted = (name: string): string =>
  name.startsWith('`') ? name.slice(1, -1).replace(/\\(.)|`(`)/gs, '$1$2') : name;

/** An expression of the engine and its type. */
interface Typed {
  readonly sql: string;
  readonly type: string;
}

/** The selected fields of a value with the engine's type; the whole value if none are selected. */
export function selectStruct(
  value: Typed,
  struct: StructFields,
  selection: Selection,
  reader: SelectionReader,
  level = 0,
): Typed {
  if (selection.size === 0) return value;
  const read = readEngineType(value.type);
  const { name } = read;
  const within = (sql: string, next = level): Typed =>
    selectStruct({ sql, type: typeWithin(read) }, struct, selection, reader, next);
  if (name === 'Array') {
    const element = `_struct${level}`;
    const { sql, type } = within(element, level + 1);
    return { sql: `arrayMap(${element} -> ${sql}, ${value.sql})`, type: `Array(${type})` };
  }
  if (name === 'Nullable') {
    const { sql, type } = within(`assumeNotNull(${value.sql})`);
    return { sql: `if(isNull(${value.sql}), NULL, ${sql})`, type: `Nullable(${type})` };
  }
  const chosen = [...selection].map(([key, nodes]): Typed & { readonly key: string } => {
    const field = struct.fields.get(nodes[0].name.value);
    if (!field) return { key, sql: quoteText(struct.type.name), type: 'String' };
    const own = { sql: `tupleElement(${value.sql}, ${field.place})`, type: field.type };
    if (!field.struct) return { key, ...nameable(own) };
    return { key, ...selectStruct(own, field.struct, reader.below(nodes), reader, level) };
  });
  const type = `Tuple(${chosen.map((each) => `${quoteIdentifier(each.key)} ${each.type}`).join(', ')})`;
  const sql = `tuple(${chosen.map((each) => each.sql).join(', ')})`;
  return { sql: `CAST(${sql}, ${quoteText(type)})`, type };
}

/** Statements may not name the type of bytes, so these are written as they are shown. */
const nameable = ({ sql, type }: Typed): Typed =>
  asJsonText(type) === type ? { sql, type } : { sql: shownText(sql, type), type: shownType(type) };
