import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_STATUS, MillraceError } from './errors.js';

const documentation = readFileSync(join(import.meta.dirname, '../../../docs/ERRORS.md'), 'utf8');

describe('the list of errors', () => {
  it('is documented whole, with its statuses, in its order', () => {
    const rows = [...documentation.matchAll(/^\| `([A-Z_]+)` \| (\d{3}) \|/gm)];
    expect(rows.map(([, kind, status]) => [kind, Number(status)])).toEqual(
      Object.entries(ERROR_STATUS),
    );
  });
});

describe('MillraceError', () => {
  it('knows its status and keeps its cause for the log', () => {
    const cause = new Error('ENOSPC');
    const error = new MillraceError('DISK_FULL', 'the disk is full', {
      cause,
      retryAfterSeconds: 5,
    });
    expect(error).toMatchObject({ status: 503, retryAfterSeconds: 5, detail: undefined, cause });
  });
});
