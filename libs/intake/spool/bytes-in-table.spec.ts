import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesInTable } from './bytes-in-table.js';

const SIZE = 2_000_000;

describe('the bytes that a batch will have in a table', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-stored-'));
  afterAll(() => {
    rmSync(directory, { recursive: true });
  });

  const told = (name: string, text: string): Promise<number> => {
    const file = join(directory, name);
    writeFileSync(file, text);
    return bytesInTable(file);
  };
  const alike = '{"message":"a request was answered","status":200}\n'.repeat(SIZE / 50);
  const noise = Array.from(
    { length: SIZE / 1000 },
    () => `{"p":"${randomBytes(744).toString('base64')}"}\n`,
  ).join('');

  it('are those of the file where it is compressed, or small', async () => {
    expect(await told('a.ndjson.zst', alike)).toBe(alike.length);
    expect(await told('a.ndjson', 'a')).toBe(1);
  });

  it('are few of lines that are alike', async () => {
    expect(await told('alike.ndjson', alike)).toBeLessThan(alike.length / 20);
  });

  it('are three quarters of noise in base64', async () => {
    const bytes = await told('noise.ndjson', noise);
    expect(bytes / noise.length).toBeGreaterThan(0.7);
    expect(bytes / noise.length).toBeLessThan(0.85);
  });
});
