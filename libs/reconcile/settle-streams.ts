import type { ReconciledOrganization } from '@app/audit';
import type { Passcodes } from '@app/identity';
import { certain, OperatorError } from '@app/platform';
import {
  streamAggregate,
  streamName,
  streamNameProblem,
  streamNameStream,
  type StreamDescription,
  type StreamsProjection,
} from '@app/streams';
import type { WarehouseTable } from '@app/warehouse';
import type { Deeds } from './deeds.js';
import type { Difference, Kept, Look } from './look.js';

/** `adopt` makes events for what only tables have. `drop` removes it. */
export type Mode = 'adopt' | 'drop';

export interface Reconciler extends Kept {
  readonly passcodes: Passcodes;
}

/** Everything that is needed to settle one organization. */
export interface Settling {
  readonly kept: Reconciler;
  readonly deeds: Deeds;
  readonly found: Look;
  readonly mode: Mode;
  readonly difference: Difference;
}

type SettledStreams = Pick<
  ReconciledOrganization,
  'adopted' | 'changed' | 'dropped' | 'emptied' | 'deleted'
>;

/** @param organizationId the id of an organization that exists by now */
export async function settleStreams(
  settling: Settling,
  organizationId: string,
): Promise<SettledStreams> {
  const { deeds, mode, difference } = settling;
  const { away, changed, waiting } = difference;
  const unknown = [
    ...difference.unknown.map(({ table }) => ({ table, mode })),
    // A deleted stream must not come back because of batches that were still on the queue.
    ...waiting.map(({ table, isDeleted }) => ({
      table,
      mode: isDeleted ? ('drop' as const) : mode,
    })),
  ];
  const taken = new Set(unknown.map(({ table }) => table.table));
  const isOver = ({ stream, isDeleted }: (typeof away)[number]): boolean =>
    isDeleted || mode === 'drop' || taken.has(stream.name);
  const deleted = away.filter(isOver).map(({ stream }) => stream);
  // This comes first, because others may take their names.
  for (const stream of deleted) await deleteStream(deeds, stream);
  for (const { table, mode: how } of unknown)
    await settleTable({ ...settling, mode: how }, organizationId, table);
  for (const { stream, table } of changed)
    await deeds.decide(
      streamAggregate,
      `stream-${stream.id}`,
      [{ type: 'adopt', stream, table }],
      organizationId,
    );
  const names = (how: Mode): string[] =>
    unknown.filter((each) => each.mode === how).map(({ table }) => table.table);
  return {
    adopted: names('adopt'),
    dropped: names('drop'),
    changed: changed.map(({ stream }) => stream.name),
    emptied: away.filter((each) => !isOver(each)).map(({ stream }) => stream.name),
    deleted: deleted.map(({ name }) => name),
  };
}

/** @throws {Error} if a table cannot be a stream of its organization */
export function refuseStrangers(
  differences: readonly Difference[],
  streams: StreamsProjection,
): void {
  for (const { unknown, waiting } of differences)
    for (const { table } of [...unknown, ...waiting])
      if (isStranger(table, streams))
        throw new OperatorError(
          `the table ${table.database}.${table.table} can be no stream: it names none that is its own; take it away by hand, or use --drop`,
        );
}

/** @returns whether the table was not made for a stream of its name */
const isStranger = ({ streamId, table }: WarehouseTable, streams: StreamsProjection): boolean =>
  !/^[0-9A-Za-z]{1,64}$/.test(streamId) ||
  streamNameProblem(table) !== undefined ||
  streams.byId(streamId) !== undefined;

async function deleteStream(deeds: Deeds, { id, name, organizationId }: StreamDescription) {
  await deeds.decide(streamAggregate, `stream-${id}`, [{ type: 'delete' }], organizationId);
  const release = { type: 'release', holder: id } as const;
  await deeds.decide(streamName, streamNameStream(organizationId, name), [release]);
}

async function settleTable(
  { deeds, kept, mode, found }: Settling,
  organizationId: string,
  table: WarehouseTable,
): Promise<void> {
  const { streamId: id, database, table: name } = table;
  if (isStranger(table, found.models.streams)) return kept.warehouse.dropTable(table);
  const stream = { id, organizationId, database, name };
  const adopt = { type: 'adopt', stream, table } as const;
  // The stream is made and deleted at once, so that its table, its rejected records and its batches
  // are removed.
  const commands = mode === 'drop' ? [adopt, { type: 'delete' } as const] : [adopt];
  if (mode === 'adopt') await takeName(deeds, stream);
  await deeds.decide(streamAggregate, `stream-${id}`, commands, organizationId);
}

async function takeName(
  deeds: Deeds,
  { id, organizationId, name }: { id: string; organizationId: string; name: string },
): Promise<void> {
  const stream = streamNameStream(organizationId, name);
  const holder = await deeds.decide(streamName, stream, [{ type: 'reserve', holder: id }]);
  if (holder === id) return;
  // No stream has the name. A crash has left the reservation to one that was never made.
  await deeds.decide(streamName, stream, [
    { type: 'release', holder: certain(holder, 'holder of a reserved name') },
    { type: 'reserve', holder: id },
  ]);
}
