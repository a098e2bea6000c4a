import fc from 'fast-check';
import { CsvFields, INNER_BREAK, QUOTED, SPECIAL } from './csv-fields.js';

interface Field {
  readonly text: string;
  readonly isQuoted: boolean;
}

const TEXT = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', ',', '\n', '\t', 'é'), maxLength: 8 }); // prettier-ignore
const FIELD: fc.Arbitrary<Field> = TEXT.chain((text) =>
  /["\n,\r]/.test(text)
    ? fc.constant({ text, isQuoted: true })
    : fc.boolean().map((isQuoted) => ({ text, isQuoted })),
);

/** A line as the framer leaves it. */
const line = (fields: readonly Field[], end: string): Buffer =>
  Buffer.from(
    Buffer.from(
      fields
        .map(({ text, isQuoted }) => (isQuoted ? `"${text.replaceAll('"', '""')}"` : text))
        .join(','),
    )
      .map((byte) => (byte === 0x0a ? INNER_BREAK : byte))
      .reduce<number[]>((all, byte) => [...all, byte], [])
      .concat([...Buffer.from(end)]),
  );

function found(bytes: Buffer, fields: CsvFields): Field[] {
  return Array.from({ length: fields.count }, (_, index) => {
    const isQuoted = ((fields.flags[index] ?? 0) & QUOTED) !== 0;
    const raw = bytes.subarray(fields.from[index], fields.to[index]);
    const text = Buffer.from(raw.map((byte) => (byte === INNER_BREAK ? 0x0a : byte))).toString();
    return { text: isQuoted ? text.replaceAll('""', '"') : text, isQuoted };
  });
}

describe('CsvFields', () => {
  it('finds the fields of every record, and where it ends', () => {
    const records = fc.array(fc.array(FIELD, { minLength: 1, maxLength: 5 }), { minLength: 1 });
    fc.assert(
      fc.property(records, fc.constantFrom('\n', '\r\n'), (all, end) => {
        const lines = all.map((fields) => line(fields, end));
        const bytes = Buffer.concat(lines);
        const fields = new CsvFields(bytes, 0x2c, 5);
        let at = 0;
        for (const [index, expected] of all.entries()) {
          expect(fields.read(at)).toBe(true);
          expect(found(bytes, fields)).toEqual(expected);
          at += lines[index]?.length ?? 0;
          expect(fields.end + 1).toBe(at);
        }
      }),
    );
  });

  it('says of which fields JSON writes something otherwise', () => {
    const bytes = Buffer.from('a,"b","say ""hi""",c\\d,say "hi",\t\n');
    const fields = new CsvFields(bytes, 0x2c, 6);
    fields.read(0);
    const both = QUOTED | SPECIAL;
    expect([...fields.flags.subarray(0, 6)]).toEqual([0, QUOTED, both, SPECIAL, SPECIAL, SPECIAL]);
  });

  it.each([
    ['"x"y,1', false],
    ['"x" ,1', true],
    [' "x" ,1', true],
    ['"x" y,1', false],
    ['a\rb,1', false],
    ['"x"\r,1', false],
    ['a,b\r', true],
    ['x"y,1', true],
    ['', true],
  ])('tells whether %j is a record', (text, isRecord) => {
    const bytes = Buffer.from(`${text}\nnext\n`);
    const fields = new CsvFields(bytes, 0x2c, 2);
    expect([fields.read(0), bytes[fields.end]]).toEqual([isRecord, 0x0a]);
    expect(fields.end).toBe(text.length);
  });

  it('tells that there is more than the header names, unless it is empty', () => {
    const counted = (text: string) => {
      const fields = new CsvFields(Buffer.from(`${text}\n`), 0x2c, 2);
      fields.read(0);
      return [fields.count, fields.written];
    };
    expect(['a', 'a,b', 'a,b,,', 'a,b,,c,'].map(counted)).toEqual([
      [1, 1],
      [2, 2],
      [2, 4],
      [3, 5],
    ]);
  });
});
