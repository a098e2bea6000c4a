import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'fixtures', 'golden');

/**
 * Compares a text with a file that a reviewer has read. `RENEW_GOLDEN=1` writes the file anew; `git
 * diff` then shows the changes.
 */
export function expectGolden(name: string, text: string): void {
  const file = join(FOLDER, name);
  if (process.env['RENEW_GOLDEN'] === '1') writeFileSync(file, text);
  if (!existsSync(file))
    throw new Error(`there is no ${file}: RENEW_GOLDEN=1 npm test -- composed-sql writes it`);
  expect(text).toBe(readFileSync(file, 'utf8'));
}
