import type { Column, SourceEngine } from '@app/warehouse';
import type { Source } from '../../sources/source.js';
import { deltaTypes, typesWithin, type DeltaType } from '../schemas/delta-schema.js';

const TIME = /\bDateTime64\(6\)/g;

/**
 * Gives moments of a Delta table their zone. The engine makes the same of them and of times without a
 * zone; the table's log says which are which. Where nobody finds that out, they stay as they are.
 */
export async function withMoments(
  columns: readonly Column[],
  { deltaLog }: Pick<Source, 'deltaLog'>,
  statements: SourceEngine['statements'],
): Promise<readonly Column[]> {
  if (!deltaLog || !columns.some(({ type }) => type.includes('DateTime64(6)'))) return columns;
  const types = await deltaTypes(deltaLog, statements);
  return columns.map(({ name, type }) => {
    const told = types.get(name);
    return { name, type: told === undefined ? type : zoned(type, timesWithin(told)) };
  });
}

/** Tells of each time within a type, in their order, whether it is a moment. */
function timesWithin(type: DeltaType): readonly boolean[] {
  if (type === 'timestamp') return [true];
  if (type === 'timestamp_ntz') return [false];
  if (typeof type === 'string') return [];
  return typesWithin(type).flatMap(timesWithin);
}

function zoned(type: string, areMoments: readonly boolean[]): string {
  if (type.match(TIME)?.length !== areMoments.length) return type;
  let at = 0;
  return type.replace(TIME, (time: string) => {
    const isMoment = areMoments[at];
    at += 1;
    return isMoment ? "DateTime64(6, 'UTC')" : time;
  });
}
