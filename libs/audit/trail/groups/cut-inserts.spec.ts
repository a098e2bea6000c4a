import type { AuditRow } from '@app/warehouse';
import { cutInserts, INSERT_CHARACTERS_MAX, INSERT_ROWS_MAX } from './cut-inserts.js';

const row = (position: number, data = '{}'): AuditRow => ({
  position: String(position),
  occurredAt: '2026-01-01T00:00:00.000Z',
  type: 'LoginFailed',
  outcome: 'failed',
  actor: '',
  actorId: '',
  subject: '',
  subjectId: '',
  address: '',
  userAgent: '',
  requestId: '',
  stream: '',
  data,
  previousHash: '',
  hash: '',
});

describe('the rows of a trail', () => {
  it('are cut into inserts of a bounded number, and stay in their order', () => {
    const rows = Array.from({ length: 2 * INSERT_ROWS_MAX + 1 }, (_, n) => row(n));
    const inserts = cutInserts(rows);
    expect(inserts.map(({ length }) => length)).toEqual([INSERT_ROWS_MAX, INSERT_ROWS_MAX, 1]);
    expect(inserts.flat()).toEqual(rows);
  });

  it('are cut into inserts of a bounded length, where one that is longer stands alone', () => {
    const half = 'x'.repeat(INSERT_CHARACTERS_MAX / 2);
    const rows = [row(1), row(2, half), row(3, half), row(4, half + half), row(5)];
    expect(cutInserts(rows).map((insert) => insert.map(({ position }) => position))).toEqual([
      ['1', '2'],
      ['3'],
      ['4'],
      ['5'],
    ]);
  });

  it('are no insert where there are none', () => {
    expect(cutInserts([])).toEqual([]);
  });
});
