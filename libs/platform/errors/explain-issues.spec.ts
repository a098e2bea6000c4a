import { z } from 'zod';
import { explainIssues } from './explain-issues.js';

const schema = z.strictObject({
  level: z.enum(['info', 'warn']).optional(),
  kind: z.literal('logs').optional(),
  size: z.coerce.number().min(0).max(1000).optional(),
  at: z.number().optional(),
  email: z.email().optional(),
  directory: z.string().min(1).max(8).optional(),
  names: z.array(z.string()).min(1).max(2).optional(),
});

describe('words for a value that does not fit', () => {
  it.each([
    [{ level: 'loud' }, 'level: want one of info, warn'],
    [{ kind: 'traces' }, 'kind: want logs'],
    [{ size: 5000 }, 'size: want at most 1000'],
    [{ size: -1 }, 'size: want at least 0'],
    [{ size: 'many' }, 'size: want number'],
    [{ at: '2026-01-01' }, 'at: want number, not string'],
    [{ at: null }, 'at: want number, not null'],
    [{ email: 'root' }, 'email: want an e-mail address'],
    [{ directory: '' }, 'directory: is empty'],
    [{ directory: 'far too long' }, 'directory: want at most 8 characters'],
    [{ names: [] }, 'names: want at least 1 elements'],
    [{ levl: 'info' }, 'unknown key "levl"; did you mean "level"?'],
    [[], 'want object, not array'],
  ])('%j: %s', (value, message) => {
    const { error } = schema.safeParse(value);
    expect(error && explainIssues(error)).toContain(message);
  });
});
