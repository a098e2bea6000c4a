import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const rows = readFileSync(join(root, 'docs/failures.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:component|---)/.test(line))
  .map((line) => line.split('|').at(-2)?.trim() ?? '');

describe('the table of failures', () => {
  it('speaks of every component', () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  it.each(rows)('names a test that is there: %s', (test) => {
    const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(test) ?? [];
    expect(existsSync(join(root, file))).toBe(true);
    expect(readFileSync(join(root, file), 'utf8')).toContain(name);
  });
});
