import { validateSchema } from 'graphql';
import type { TableDescription } from '../../catalog.js';
import { buildSchema, type OrganizationSchema, type Shapes } from './organization-schema.js';

/** A table that GraphQL cannot describe, and the reason. */
interface LeftOutTable {
  readonly name: string;
  readonly problem: string;
}

interface SoundSchema extends OrganizationSchema {
  readonly leftOut: readonly LeftOutTable[];
}

/**
 * The schema of all tables that GraphQL can describe. Other tables are left out, and the schema's
 * description says so, because a schema with a fault answers no query at all.
 */
export function soundSchema(tables: readonly TableDescription[], shapes: Shapes): SoundSchema {
  const whole = attempt(tables, shapes);
  if (typeof whole !== 'string') return { ...whole, leftOut: [] };
  const leftOut = tables.flatMap((table) => {
    const alone = attempt([table], shapes);
    return typeof alone === 'string' ? [{ name: table.name, problem: alone }] : [];
  });
  const names = new Set(leftOut.map(({ name }) => name));
  const sound = tables.filter(({ name }) => !names.has(name));
  return { ...buildSchema(sound, shapes, describe(leftOut)), leftOut };
}

/** @returns the fault, if there is one. */
function attempt(tables: readonly TableDescription[], shapes: Shapes): OrganizationSchema | string {
  try {
    const built = buildSchema(tables, shapes);
    const [error] = validateSchema(built.schema);
    return error?.message ?? built;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function describe(leftOut: readonly LeftOutTable[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const each = leftOut.map(({ name, problem }) => `${JSON.stringify(name)} (${problem})`);
  return `Left out, since GraphQL cannot describe them; ask them in SQL: ${each.join(', ')}`;
}
