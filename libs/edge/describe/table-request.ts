import { MillraceError, explainIssues } from '@app/platform';
import { z } from 'zod';
import type { DescribedTable } from '../table-description.js';
import { strict } from './strict.js';
import { parseTableUri } from './table-argument.js';
import { tableName } from './table-entry.js';

const URI_MAX = 8192;
/**
 * The body of `POST /api/table`, also in ROAPI's form. An empty list means no tables. An entry
 * without `uri` reads an existing table again.
 */
export const tableRequests = z
  .array(strict({ tableName, uri: z.string().min(1).max(URI_MAX).optional() }))
  .refine(
    (all) => new Set(all.map(({ tableName: name }) => name)).size === all.length,
    'a table is named twice',
  );

/** The body of `POST /api/tables/drop`. */
export const dropRequests = z.array(strict({ tableName }));

export interface TableRequest {
  readonly name: string;
  /** Undefined means that the existing table is read again. */
  readonly table: DescribedTable | undefined;
}

/** @throws {MillraceError} INVALID_PARAMETER that names entry, key and what may be meant */
export function parseTableRequests(body: unknown): readonly TableRequest[] {
  return parse(tableRequests, body).map(({ tableName: name, uri }, index) => {
    if (uri === undefined) return { name, table: undefined };
    try {
      return { name, table: parseTableUri(name, uri) };
    } catch (error) {
      throw new MillraceError('INVALID_PARAMETER', `[${index}]: ${(error as Error).message}`);
    }
  });
}

/** @returns names of tables @throws {MillraceError} INVALID_PARAMETER */
export function parseDropRequests(body: unknown): readonly string[] {
  return parse(dropRequests, body).map(({ tableName: name }) => name);
}

function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  throw new MillraceError('INVALID_PARAMETER', explainIssues(read.error));
}
