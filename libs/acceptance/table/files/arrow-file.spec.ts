import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { MillraceError } from '@app/platform';
import { openArrow } from '@app/arrow';
import { structure } from './field-type.js';
import { rounds } from '../../../../test/rounds.js';

const FIXTURES = join(import.meta.dirname, '../../../../test/fixtures/arrow');
const files = readdirSync(FIXTURES).filter((name) => /\.arrows?$/.test(name));

describe('files and streams of Arrow', () => {
  const folder = mkdtempSync(join(tmpdir(), 'arrow-'));
  const file = join(folder, 'body');
  const opened = (bytes: Buffer): ReturnType<typeof openArrow> => {
    writeFileSync(file, bytes);
    return openArrow(file, 'it');
  };
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('tell what they hold, and what the engine is to read it by', async () => {
    const { format, fields, held, rows, checkRead } = await opened(
      readFileSync(join(FIXTURES, 'only-arrow.arrow')),
    );
    expect([format, rows]).toEqual(['Arrow', 3]);
    expect(structure(fields)).toContain('`decimal32` Nullable(Decimal(4, 2))');
    expect(structure(held)).toContain('`decimal32` Nullable(Decimal(9, 2))');
    expect(structure(held)).toContain('`struct` Nullable(Tuple(`a` Nullable(Int64)))');
    expect(structure(held)).toContain('`milli_day` Nullable(Int64)');
    await checkRead();
  });

  it('say the same of themselves once the schema is written over, but for what was', async () => {
    for (const name of files.filter((each) => !each.startsWith('refused'))) {
      const first = await opened(readFileSync(join(FIXTURES, name)));
      const again = await openArrow(file, 'it');
      expect([name, again.rows]).toEqual([name, first.rows]);
      const dates = (text: string): string => text.replaceAll(/"kind":"date64"/g, '"kind":"integer","bits":64,"signed":true'); // prettier-ignore
      expect(JSON.stringify(again.held)).toBe(dates(JSON.stringify(first.held)));
    }
  });

  it('are refused in our words where a reference leads out of their schema', async () => {
    const astray = Buffer.concat([Buffer.from('ffffffff10000000', 'hex'), Buffer.alloc(64, 0x56)]);
    await expect(opened(astray)).rejects.toThrow(
      'it is no readable file or stream of Arrow: something in it leads out of it',
    );
  });

  it('are read, or refused with a reason, whatever bytes they have', async () => {
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      byte: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255)),
      take: fc.nat(3),
    });
    const changes = fc.array(change, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), changes, async (name, list) => {
        let bytes = readFileSync(join(FIXTURES, name));
        for (const { at, byte, take } of list) {
          const place = Math.floor(at * bytes.length);
          bytes = Buffer.concat([
            bytes.subarray(0, place),
            Buffer.of(byte),
            bytes.subarray(place + take),
          ]);
        }
        try {
          const { checkRead } = await opened(bytes);
          await checkRead();
        } catch (error) {
          expect(error).toBeInstanceOf(MillraceError);
          expect((error as MillraceError).kind).toBe('MALFORMED_BODY');
          expect((error as MillraceError).message).not.toMatch(/The value of|memory outside/);
        }
      }),
      { numRuns: rounds(300, 10_000) },
    );
  });
});
