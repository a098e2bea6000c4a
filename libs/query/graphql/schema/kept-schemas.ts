import { MillraceError } from '@app/platform';
import { namedColumns, type TableDescription } from '../../catalog.js';
import type { OrganizationSchema } from './organization-schema.js';

/** The number of columns of one schema. Building a schema blocks the process. */
export const SCHEMA_COLUMNS_MAX = 10_000;
/** The number of columns of all cached schemas; a column takes some kilobytes of memory. */
const KEPT_COLUMNS = 60_000;
/** An organization has at most two at a time: one is for users who may see its audit trail. */
const OF_ONE = 2;

interface Kept {
  readonly owner: string;
  readonly columns: number;
  readonly schema: OrganizationSchema;
}

/**
 * A cache of schemas by version, with those that were used last. A tenant that changes columns in a
 * loop displaces only its own schemas, and no tenant's schemas fill the memory.
 */
export class KeptSchemas {
  private readonly kept = new Map<string, Kept>();

  /** @throws {MillraceError} RESULT_TOO_LARGE for a schema with too many columns */
  static check(tables: readonly TableDescription[]): void {
    const columns = columnsOf(tables);
    if (columns > SCHEMA_COLUMNS_MAX)
      throw new MillraceError(
        'RESULT_TOO_LARGE',
        `the organization has ${columns} columns, and GraphQL shows at most ${SCHEMA_COLUMNS_MAX}; use sql or tables, or delete streams`,
      );
  }

  get(version: string): OrganizationSchema | undefined {
    const kept = this.kept.get(version);
    if (!kept) return undefined;
    this.kept.delete(version);
    this.kept.set(version, kept);
    return kept.schema;
  }

  set(
    owner: string,
    version: string,
    schema: OrganizationSchema,
    tables: readonly TableDescription[],
  ): void {
    this.kept.set(version, { owner, columns: columnsOf(tables), schema });
    const own = [...this.kept].filter(([, each]) => each.owner === owner);
    for (const [oldest] of own.slice(0, -OF_ONE)) this.kept.delete(oldest);
    let columns = 0;
    for (const [each, { columns: some }] of [...this.kept].reverse()) {
      columns += some;
      if (columns > KEPT_COLUMNS && each !== version) this.kept.delete(each);
    }
  }
}

const columnsOf = (tables: readonly TableDescription[]): number =>
  tables.reduce((sum, table) => sum + namedColumns(table).length, 0);
