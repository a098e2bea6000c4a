import type { QueuedRecord } from '@app/ingest-queue';
import { toHeaders, type Batch } from './batch.js';
import { groupBatches } from './group-batches.js';

const COLUMNS = ['_timestamp', 'n'];
const NATIVE: Batch = {
  table: { database: 'o_1', table: 'events' },
  streamId: '01S',
  columns: COLUMNS,
  ending: '.native.zst',
  rows: 1,
  recordBytes: 10,
};
const lines = (type: string): Batch => ({ ...NATIVE, types: [type], ending: '.ndjson' });

const records = (...batches: Batch[]): QueuedRecord[] =>
  batches.map((batch, index) => ({
    key: 'k',
    headers: toHeaders(batch),
    payload: { bytes: new Uint8Array() },
    position: { partition: 0, offset: BigInt(index) },
  }));

describe('batches of one delivery', () => {
  it('come together when they are read in the same way', () => {
    const { groups, unreadable } = groupBatches(
      records(
        lines('Nullable(Int64)'),
        NATIVE,
        { ...lines('Nullable(Int64)'), ending: '.ndjson.zst' },
        lines('Nullable(Float64)'),
        NATIVE,
      ),
    );
    expect(unreadable).toEqual([]);
    expect(
      groups.map(({ types, batches }) => [
        types,
        batches.map(({ record }) => record.position.offset),
      ]),
    ).toEqual([
      [['Nullable(Int64)'], [0n, 2n]],
      [undefined, [1n, 4n]],
      [['Nullable(Float64)'], [3n]],
    ]);
  });

  it('are told apart from what is no batch', () => {
    const [good, bad] = records(NATIVE, lines('Nullable(Int64)'));
    const wrong = { ...bad, headers: { ...bad?.headers, types: '[[],[]]' } } as QueuedRecord;
    const { groups, unreadable } = groupBatches([...(good ? [good] : []), wrong]);
    expect([groups.length, unreadable]).toEqual([1, [wrong]]);
  });
});
