import type { FieldType } from '@app/acceptance';
import { partitionValue } from './partition-value.sql.js';

const value = (type: FieldType, text: string | null | undefined): string =>
  partitionValue({ name: 'p', type }, text);
const INTEGER: FieldType = { kind: 'integer', bits: 32, signed: true };
const TIMESTAMP: FieldType = { kind: 'timestamp', digits: 6, utc: true };

describe('a partition value', () => {
  it.each<[FieldType, string, string]>([
    [INTEGER, '-7', "CAST('-7', 'Nullable(Int64)')"],
    [{ kind: 'text' }, "it's \\", "CAST('it\\'s \\\\', 'Nullable(String)')"],
    [{ kind: 'boolean' }, 'true', "CAST('true', 'Nullable(Bool)')"],
    [{ kind: 'float', bits: 64 }, '1.5E10', "CAST('1.5E10', 'Nullable(Float64)')"],
    [{ kind: 'date' }, '0001-02-03', "CAST('0001-02-03', 'Nullable(String)')"],
    [
      TIMESTAMP,
      '2024-02-29 12:30:15.25',
      "CAST('2024-02-29T12:30:15.250000Z', 'Nullable(String)')",
    ],
    [TIMESTAMP, '2024-02-29T12:30:15Z', "CAST('2024-02-29T12:30:15.000000Z', 'Nullable(String)')"],
    [
      { kind: 'timestamp', digits: 6, utc: false },
      '2024-02-29 12:30:15',
      "CAST('2024-02-29T12:30:15.000000', 'Nullable(String)')",
    ],
    [{ kind: 'binary' }, '\u0001ÿ', "CAST('Af8=', 'Nullable(String)')"],
  ])('has the type of its column (%j %s)', (type, text, sql) => {
    expect(value(type, text)).toBe(sql);
  });

  it.each([null, undefined, ''])('is null when it is %j, whatever the type', (text) => {
    expect(value(INTEGER, text)).toBe("CAST(NULL, 'Nullable(Int64)')");
    expect(value({ kind: 'text' }, text)).toBe("CAST(NULL, 'Nullable(String)')");
  });

  it.each<[FieldType, string]>([
    [INTEGER, '1.5'],
    [INTEGER, "1') --"],
    [{ kind: 'boolean' }, 'yes'],
    [{ kind: 'float', bits: 64 }, '1,5'],
    [{ kind: 'date' }, '29.2.2024'],
    [TIMESTAMP, '2024-02-29'],
    [{ kind: 'decimal', precision: 10, scale: 2 }, '0.-1'],
  ])('is refused when it is none (%j %s)', (type, text) => {
    expect(() => value(type, text)).toThrow('broken Delta table: partition value');
  });

  it('that is the time of rows is given in microseconds', () => {
    const time = { name: '_timestamp', type: { kind: 'date' } } as const;
    expect(partitionValue(time, '2024-02-29')).toContain('toUnixTimestamp64Micro');
  });
});
