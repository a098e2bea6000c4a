import { apiOf, requestJson } from './request.js';

export interface Field {
  /** A field within a record has the path before its name. */
  readonly name: string;
  readonly type: string;
}

export interface Table {
  readonly name: string;
  readonly fields: readonly Field[];
}

interface ArrowField {
  readonly name: string;
  readonly data_type: unknown;
}

type Answer = Readonly<Record<string, { readonly fields: readonly ArrowField[] }>>;

/** Reads the tables in the order of their names, with their fields and the fields within those. */
export async function readTables(organization: string): Promise<readonly Table[]> {
  const answer = await requestJson<Answer>(`${apiOf(organization)}/schema`);
  return Object.entries(answer)
    .map(([name, { fields }]) => ({
      name,
      fields: fields.flatMap((field) => withInner(field, '')),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function withInner({ name, data_type: type }: ArrowField, before: string): Field[] {
  const path = before + name;
  const inner = structOf(type);
  return [
    { name: path, type: inner ? 'Struct' : wordOf(type) },
    ...(inner ?? []).flatMap((field) => withInner(field, `${path}.`)),
  ];
}

function structOf(type: unknown): readonly ArrowField[] | undefined {
  if (typeof type !== 'object' || type === null || !('Struct' in type)) return undefined;
  return Array.isArray(type.Struct) ? (type.Struct as ArrowField[]) : undefined;
}

/** Arrow's types are words, or objects with one key, the word, whose value has the details. */
function wordOf(type: unknown): string {
  if (typeof type === 'string') return type;
  if (typeof type !== 'object' || type === null) return '';
  const [[word, of] = ['', undefined]] = Object.entries(type);
  if (word === 'List') return `List(${wordOf((of as { data_type?: unknown } | null)?.data_type)})`;
  if (word === 'Decimal128' && Array.isArray(of)) return `Decimal(${of.join(', ')})`;
  return word;
}

/** Reads the names of the functions that a statement may call. */
export const readFunctions = (organization: string): Promise<readonly string[]> =>
  requestJson(`${apiOf(organization)}/sql/functions`);
