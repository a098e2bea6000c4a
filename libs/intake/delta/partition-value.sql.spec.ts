import type { FieldType } from '@app/arrow';
import { partitionValue } from './partition-value.sql.js';
import { processorMs } from '../../../test/processor-time.js';

const value = (type: FieldType, text: string | null | undefined): string =>
  partitionValue({ name: 'p', type }, text);
const INTEGER: FieldType = { kind: 'integer', bits: 32, signed: true };
const TIMESTAMP: FieldType = { kind: 'timestamp', digits: 6, utc: true };

describe('a partition value', () => {
  it.each<[FieldType, string, string]>([
    [INTEGER, '-7', "CAST('-7', 'Nullable(Int32)')"],
    [{ kind: 'text' }, "it's \\", "CAST('it\\'s \\\\', 'Nullable(String)')"],
    [{ kind: 'boolean' }, 'true', "CAST('true', 'Nullable(Bool)')"],
    [{ kind: 'float', bits: 64 }, '1.5E10', "CAST('1.5E10', 'Nullable(Float64)')"],
    [
      { kind: 'decimal', precision: 4, scale: 2 },
      '-0012.30',
      "CAST('-0012.30', 'Nullable(Decimal(4, 2))')",
    ],
    [{ kind: 'date' }, '1969-12-31', "CAST('-1', 'Nullable(Int32)')"],
    [{ kind: 'date' }, '0001-01-01', "CAST('-719162', 'Nullable(Int32)')"],
    [{ kind: 'date' }, '0000-02-29', "CAST('-719469', 'Nullable(Int32)')"],
    [{ kind: 'date' }, '9999-12-31', "CAST('2932896', 'Nullable(Int32)')"],
    [TIMESTAMP, '1970-01-02 00:00:15.25', "CAST('86415250000', 'Nullable(Int64)')"],
    [TIMESTAMP, '1969-12-31T23:59:59.999999Z', "CAST('-1', 'Nullable(Int64)')"],
    [TIMESTAMP, '9999-12-31 23:59:59', "CAST('253402300799000000', 'Nullable(Int64)')"],
    [
      { kind: 'timestamp', digits: 6, utc: false },
      '1970-01-01 00:01:00',
      "CAST('60000000', 'Nullable(Int64)')",
    ],
    [{ kind: 'binary' }, '\u0001ÿ', "CAST('Af8=', 'Nullable(String)')"],
    [{ kind: 'binary' }, String.raw`\u0001\u00FF`, "CAST('Af8=', 'Nullable(String)')"],
    [{ kind: 'float', bits: 64 }, '-inf', "CAST('-inf', 'Nullable(Float64)')"],
    [{ kind: 'float', bits: 32 }, 'NaN', "CAST('NaN', 'Nullable(Float32)')"],
  ])('has the type of its column (%j %s)', (type, text, sql) => {
    expect(value(type, text)).toBe(sql);
  });

  it.each([null, undefined, ''])('is null when it is %j, whatever the type', (text) => {
    expect(value(INTEGER, text)).toBe("CAST(NULL, 'Nullable(Int32)')");
    expect(value({ kind: 'text' }, text)).toBe("CAST(NULL, 'Nullable(String)')");
  });

  it.each<[FieldType, string]>([
    [INTEGER, '1.5'],
    [INTEGER, "1') --"],
    [INTEGER, '2147483648'],
    [INTEGER, '9'.repeat(100_000)],
    [{ kind: 'integer', bits: 8, signed: false }, '-1'],
    [{ kind: 'boolean' }, 'yes'],
    [{ kind: 'float', bits: 64 }, '1,5'],
    [{ kind: 'binary' }, '€'],
    [{ kind: 'date' }, '29.2.2024'],
    [{ kind: 'date' }, '2023-02-29'],
    [{ kind: 'date' }, '2024-13-01'],
    [TIMESTAMP, '2024-02-29'],
    [TIMESTAMP, '2024-02-29 24:00:00'],
    [TIMESTAMP, '2024-02-29 00:60:00'],
    [TIMESTAMP, '2024-02-29 00:00:00+02:00'],
    [{ kind: 'decimal', precision: 10, scale: 2 }, '0.-1'],
    [{ kind: 'decimal', precision: 10, scale: 2 }, '.'],
    [{ kind: 'decimal', precision: 10, scale: 2 }, '1.001'],
    [{ kind: 'decimal', precision: 4, scale: 2 }, '100'],
  ])('is refused when it is none (%j %s)', (type, text) => {
    expect(() => value(type, text)).toThrow('broken Delta table: partition value');
  });

  it('that is the time of rows is given in microseconds', () => {
    const time = { name: '_timestamp', type: { kind: 'date' } } as const;
    expect(partitionValue(time, '1970-01-02')).toBe("CAST('86400000000', 'Nullable(Int64)')");
  });

  it.each<[FieldType, string]>([
    [{ kind: 'decimal', precision: 10, scale: 2 }, `${'0'.repeat(4_000_000)}x`],
    [{ kind: 'decimal', precision: 10, scale: 2 }, `1.${'0'.repeat(4_000_000)}x`],
    [{ kind: 'float', bits: 64 }, `${'1'.repeat(4_000_000)}x`],
    [INTEGER, '1'.repeat(4_000_000)],
  ])('%#: is refused at once where it is far too long', (type, text) => {
    const started = processorMs();
    expect(() => value(type, text)).toThrow();
    expect(processorMs() - started).toBeLessThan(1000);
  });
});
