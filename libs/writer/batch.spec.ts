import { z } from 'zod';
import { endingIn, endingOf, fromHeaders, readableBatch, toHeaders, type Batch } from './batch.js';

const BATCH: Batch = {
  table: { database: 'o_1', table: 'events' },
  streamId: '01S',
  columns: ['_timestamp', 'n', 'who', 'm'],
  ending: '.native.zst',
  rows: 3,
  recordBytes: 100,
};
const LINES: Batch = {
  ...BATCH,
  types: ['Nullable(Int64)', 'Nullable(String)', 'Nullable(Int64)'],
  ending: '.ndjson',
};

describe('headers of a batch', () => {
  it('tell of it all that was said', () => {
    expect(fromHeaders(toHeaders(BATCH))).toEqual(BATCH);
    for (const ending of ['.ndjson', '.ndjson.zst'])
      expect(fromHeaders(toHeaders({ ...LINES, ending }))).toEqual({ ...LINES, ending });
  });

  it('are read as columns where a version wrote them that knew nothing else', () => {
    const { ending, ...old } = toHeaders(BATCH);
    expect(ending).toBe('.native.zst');
    expect(fromHeaders(old)).toEqual(BATCH);
    expect(endingIn(old)).toBe('.native.zst');
  });

  it('stay small for the widest table', () => {
    const types = Array.from({ length: 2000 }, (_, n) => `Array(Nullable(${n % 2 ? 'Int64' : 'Float64'}))`); // prettier-ignore
    const columns = ['_timestamp', ...types.map((_, n) => `c${n}`)];
    const headers = toHeaders({ ...LINES, columns, types });
    expect(fromHeaders(headers).types).toEqual(types);
    expect(headers.types?.length).toBeLessThan(5000);
  });

  it.each([
    ['a type too few', { types: '[["Nullable(Int64)"],[0,0]]' }],
    ['a type that is not named', { types: '[["Nullable(Int64)"],[0,0,1]]' }],
    ['columns that are no JSON', { columns: 'x' }],
    ['columns that are no list', { columns: '{}' }],
    ['types that are no JSON', { types: '[' }],
    ['an ending that leads elsewhere', { ending: '/../../etc/passwd' }],
    ['an ending after something else', { ending: '/../x.ndjson' }],
  ])('are none of ours with %s', (_, wrong) => {
    expect(() => fromHeaders({ ...toHeaders(LINES), ...wrong })).toThrow(z.ZodError);
    expect(readableBatch({ ...toHeaders(LINES), ...wrong })).toBeUndefined();
    expect(endingIn({ ...toHeaders(LINES), ...wrong })).toMatch(/^\.(?:native\.zst|ndjson)$/);
  });

  it('name the ending of a file, whatever comes before', () => {
    const endings = [
      '/a/b.ndjson.rejected.native.zst',
      '/a/b.native.accepted.ndjson',
      '/x.ndjson.zst',
    ];
    expect(endings.map(endingOf)).toEqual(['.native.zst', '.ndjson', '.ndjson.zst']);
    expect(() => endingOf('/a/b.csv')).toThrow('named like no batch');
  });
});
