import type { Batch } from '@app/writer';
import { waitingTables, type ReadWaiting } from './waiting-tables.js';

const batch = (streamId: string, table: string, rows: number, types?: string[]): Batch => ({
  table: { database: 'o_1', table },
  streamId,
  columns: ['_timestamp', 'n'],
  types,
  ending: '.ndjson',
  rows,
  recordBytes: 1,
});

const of =
  (batches: readonly Batch[], unread = 0): ReadWaiting =>
  (each) => {
    for (const one of batches) each(one);
    return Promise.resolve(unread);
  };

const streams = {
  byId: (id: string) => (id === '01KNOWN' ? ({} as never) : undefined),
  isDeleted: (id: string) => id === '01GONE',
};
const tables = [
  {
    ...{ database: 'o_1', table: 'there', streamId: '01THERE', columns: [] },
    ...{ retentionDays: 0, skipIndexes: [], textIndexes: [] },
  },
];

describe('waitingTables', () => {
  it('counts what waits of streams that neither events nor tables know', async () => {
    const batches = [
      batch('01LATE', 'late', 2, ['Nullable(Int64)']),
      batch('01LATE', 'late', 3),
      batch('01KNOWN', 'known', 1),
      batch('01GONE', 'gone', 1),
      batch('01THERE', 'there', 1),
      batch('', '_rejected', 1),
    ];
    expect(await waitingTables(of(batches, 7), streams, tables)).toEqual({
      tables: [
        {
          table: {
            ...{ database: 'o_1', table: 'late', streamId: '01LATE' },
            columns: [{ name: 'n', type: 'Nullable(Int64)' }],
            ...{ retentionDays: 0, skipIndexes: [], textIndexes: [] },
          },
          rows: 5,
        },
      ],
      unread: 7,
    });
  });

  it('has of several streams that had one name the last', async () => {
    const batches = [batch('01B', 'late', 2), batch('01C', 'late', 4), batch('01A', 'late', 1)];
    const found = await waitingTables(of(batches), streams, tables);
    expect(found.tables.map(({ table, rows }) => [table.streamId, rows])).toEqual([['01C', 4]]);
  });
});
