import fc from 'fast-check';
import {
  microsOfNumber,
  microsOfText,
  plainIsoMicros,
  plainMicros,
  textOfMicros,
  type Micros,
} from './time-text.js';
import { slowNumberTime, slowTime } from '../../../../test/doubles/judge/slow-time.js';
import { rounds } from '../../../../test/rounds.js';
import { processorMs } from '../../../../test/processor-time.js';

const EARLIEST = -2_208_988_800_000_000n;
const LATEST = 10_413_791_999_999_999n;
const exactly = (micros: Micros | undefined): bigint | undefined =>
  micros === undefined ? undefined : BigInt(micros);
const stored = (micros: bigint | undefined): bigint | undefined =>
  micros !== undefined && micros >= EARLIEST && micros <= LATEST ? micros : undefined;

const padded = (most: number, length: number): fc.Arbitrary<string> =>
  fc.nat(most).map((value) => String(value).padStart(length, '0'));
const digits = fc
  .array(fc.constantFrom(...'0123456789'), { minLength: 1, maxLength: 10 })
  .map((all) => all.join(''));
const zone = fc.oneof(
  fc.constantFrom('', 'Z', 'z', '+0000', '-00:00', '+23:59', '-23:59', '+24:00', '+00:60', '+01'),
  fc
    .tuple(fc.constantFrom('+', '-'), padded(25, 2), fc.constantFrom('', ':'), padded(61, 2))
    .map((all) => all.join('')),
);
const date = fc
  .tuple(
    fc.oneof(padded(2400, 4), fc.constantFrom('1899', '1900', '2000', '2024', '2299', '2300')),
    padded(13, 2),
    fc.oneof(padded(32, 2), fc.constantFrom('28', '29', '30', '31')),
  )
  .map((all) => all.join('-'));
const clock = fc
  .tuple(
    fc.constantFrom('T', ' ', 't'),
    padded(24, 2),
    padded(60, 2),
    fc.option(padded(60, 2)),
    fc.option(fc.tuple(fc.constantFrom('.', ','), digits).map((all) => all.join(''))),
    zone,
  )
  .map(([t, hour, minute, second, fraction, of]) =>
    [`${t}${hour}:${minute}`, second === null ? '' : `:${second}${fraction ?? ''}`, of].join(''),
  );
const usual = fc
  .tuple(
    fc.date({ min: new Date('1890-01-01'), max: new Date('2310-01-01'), noInvalidDate: true }),
    fc.oneof(digits, fc.constant('')),
    fc.constantFrom('Z', 'Z', 'Z', 'z', '', '0Z', '.Z'),
  )
  .map(([at, fraction, end]) => {
    const [seconds = ''] = at.toISOString().split('.');
    return `${seconds}${fraction && '.'}${fraction}${end}`;
  });
const iso = fc.tuple(date, fc.option(clock)).map(([day, time]) => `${day}${time ?? ''}`);
const mail = fc
  .tuple(
    fc.constantFrom('', 'Tue, ', 'Xxx, ', 'tue, '),
    fc.oneof(fc.nat(32).map(String), padded(32, 2)),
    fc.constantFrom('Jan', 'Feb', 'Apr', 'Dec', 'anF', 'Xyz', 'jan'),
    padded(2400, 4),
    padded(24, 2),
    padded(60, 2),
    fc.option(padded(60, 2)),
    fc.constantFrom('GMT', 'UT', 'UTC', 'Z', 'EST', '+0000', '+0100', '-2359', '+2400', '+0060'),
  )
  .map(([weekday, day, month, year, hour, minute, second, of]) => {
    const seconds = second === null ? '' : `:${second}`;
    return `${weekday}${day} ${month} ${year} ${hour}:${minute}${seconds} ${of}`;
  });

describe('microsOfText', () => {
  it.each([iso, mail, usual])('reads what Date reads, to the microsecond (%#)', (texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        const micros = slowTime({ is: 'text', text }) ?? undefined;
        expect(exactly(microsOfText(text))).toBe(micros);
        const bytes = Buffer.from(`"${text}"`);
        const plain = plainIsoMicros(bytes, 1, bytes.length - 1);
        if (plain !== undefined || /^\d{4}-\d\d-\d\dT[\d:]{8}(\.\d{1,9})?Z$/.test(text))
          expect(exactly(plain)).toBe(micros);
      }),
      { numRuns: rounds(1000, 300_000) },
    );
  });

  it.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['1969-12-31T23:59:59.999999Z', -1n],
    ['1969-12-31T23:59:59.9999999Z', -1n],
    ['1900-01-01T00:00:00Z', EARLIEST],
    ['1900-01-01T00:00:00+00:01', undefined],
    ['1899-12-31T23:59:00-00:01', EARLIEST],
    ['2299-12-31T23:59:59.999999999Z', LATEST],
    ['2300-01-01T00:00:00Z', undefined],
    ['2300-01-01T00:00:00+00:01', LATEST - 59_999_999n],
    ['2255-06-05T23:47:34.740993Z', 9_007_199_254_740_993n],
    ['2024-02-29', 1_709_164_800_000_000n],
    ['2023-02-29', undefined],
    ['1900-02-29', undefined],
    ['2000-02-29T12:00Z', 951_825_600_000_000n],
    ['2026-01-01T24:00:00Z', undefined],
    ['2026-01-01T23:59:60Z', undefined],
    ['2026-01-01T00:00:00.1234567890Z', undefined],
    ['Thu, 29 Feb 2024 00:00:00 GMT', 1_709_164_800_000_000n],
    ['29 Feb 2023 00:00:00 GMT', undefined],
    ['1700000000', 1_700_000_000_000_000n],
    ['1700000000.5', 1_700_000_000_500_000n],
    ['-0', 0n],
    ['1.7e9', undefined],
    ['', undefined],
    [' 2026-01-01', undefined],
    ['99999999999999999999', undefined],
    ['2026-01-01\n', undefined],
  ])('reads %s', (text, micros) => {
    expect(exactly(microsOfText(text))).toBe(micros);
  });

  it('reads from bytes only what has its digits and separators in their places', () => {
    const text = '2026-03-03T10:20:30.123456Z';
    for (let at = 0; at < text.length; at += 1)
      for (let byte = 0; byte < 256; byte += 1) {
        const bytes = Buffer.from(`"${text}"`);
        bytes[at + 1] = byte;
        const plain = plainIsoMicros(bytes, 1, bytes.length - 1);
        const other = byte > 0x7f ? undefined : bytes.toString('latin1', 1, bytes.length - 1);
        if (plain !== undefined) expect(other && microsOfText(other)).toBe(plain);
      }
  });

  it('reads no text of many digits for long', () => {
    const started = processorMs();
    for (const text of ['1'.repeat(1e6), `1.${'0'.repeat(1e6)}`, `${'2026-01-01T'.repeat(1e5)}`])
      expect(microsOfText(text)).toBeUndefined();
    expect(processorMs() - started).toBeLessThan(5000);
  });
});

describe('microsOfNumber', () => {
  const thresholds = [9, 6, 3].flatMap((power) => {
    const value = 31_536_000n * 10n ** BigInt(power);
    return [value - 1n, value, value + 1n];
  });

  it('knows the unit of an integer by its magnitude, and loses nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
          fc.bigInt({ min: EARLIEST, max: LATEST }),
          fc.bigInt({ min: EARLIEST / 1000n, max: LATEST / 1000n }),
          fc.constantFrom(...thresholds, ...thresholds.map((value) => -value)),
          fc.constantFrom(EARLIEST, EARLIEST - 1n, LATEST, LATEST + 1n, LATEST * 1000n + 999n),
        ),
        (value) => {
          const text = String(value);
          expect(exactly(microsOfNumber(text))).toBe(stored(slowNumberTime(text)));
        },
      ),
      {
        numRuns: rounds(1000, 300_000),
        examples: thresholds.flatMap((value): [bigint][] => [[value], [-value]]),
      },
    );
  });

  it('reads fractions and exponents to the nearest microsecond that a float has', () => {
    const number = fc
      .tuple(
        fc.bigInt({ min: -(10n ** 19n), max: 10n ** 19n }),
        fc.nat(9),
        fc.integer({ min: -9, max: 3 }),
      ) // prettier-ignore
      .map(([value, fraction, exponent]) => `${value}.${fraction}e${exponent}`);
    fc.assert(
      fc.property(number, (text) => {
        const [micros, exact] = [exactly(microsOfNumber(text)), stored(slowNumberTime(text))];
        if (micros === undefined || exact === undefined) {
          // Right at the edge of what can be stored, or at a threshold, rounding decides.
          expect(micros ?? exact).toBe(undefined);
          return;
        }
        const apart = micros > exact ? micros - exact : exact - micros;
        expect(Number(apart)).toBeLessThanOrEqual(2 + Math.abs(Number(exact)) * 2 ** -51);
      }),
      { numRuns: rounds(1000, 300_000) },
    );
  });

  it.each([
    ['1.7e9', 1_700_000_000_000_000n],
    ['17E8', 1_700_000_000_000_000n],
    ['1.5', 1_500_000n],
    ['-1.5', -1_500_000n],
    ['0.0000004', 0n],
    ['1e-300', 0n],
    ['1767225600123456789e0', 1_767_225_600_123_456n],
    ['9007199254740993.0', 9_007_199_254_740_993n],
    ['-1767225600', -1_767_225_600_000_000n],
    ['-1767225600000', -1_767_225_600_000_000n],
    ['-31536000000000001', -31_536_000_000_000n],
    ['1e300', undefined],
    ['18446744073709551615', undefined],
  ])('reads %s', (text, micros) => {
    expect(exactly(microsOfNumber(text))).toBe(micros);
  });
});

describe('plainMicros', () => {
  it('reads whole numbers as others do, all of the usual ones', () => {
    const power = (digits: number): bigint => 10n ** BigInt(digits);
    const value = fc.oneof(
      fc
        .nat(20)
        .chain((digits) => fc.bigInt({ min: power(digits) / 10n, max: power(digits) }))
        .map(String),
      fc.constantFrom('17672256000000.', '1767225600000e03', '-1767225600', '1e9', '-', ''),
    );
    fc.assert(
      fc.property(value, (text) => {
        const bytes = Buffer.from(` ${text} `);
        const plain = plainMicros(bytes, 1, bytes.length - 1);
        if (plain !== undefined) expect(BigInt(plain)).toBe(stored(slowNumberTime(text)));
        else if (/^(\d{1,13}|[1-8]\d{15}|1\d{17,18})$/.test(text))
          expect(stored(slowNumberTime(text))).toBeUndefined();
      }),
      { numRuns: rounds(1000, 300_000) },
    );
  });
});

describe('plainMicros of seconds with a fraction', () => {
  it('rounds to the nearest microsecond as it is written', () => {
    const text = fc
      .tuple(fc.oneof(fc.nat(2_000_000_000), fc.nat({ max: 9_999_999_999 })), digits)
      // The double is exact for billionths.
      .map(([whole, fraction]) => `${whole}.${fraction.slice(0, 9)}`);
    fc.assert(
      fc.property(text, (written) => {
        const bytes = Buffer.from(`[${written}]`);
        const plain = plainMicros(bytes, 1, bytes.length - 1);
        if (plain !== undefined) expect(BigInt(plain)).toBe(slowNumberTime(written));
        else expect(Number(written)).toBeGreaterThan(9e9);
      }),
      {
        numRuns: rounds(1000, 300_000),
        examples: [['1700000000.1234564'], ['1700000000.1234565'], ['0.0'], ['9007199254.740992']],
      },
    );
  });
});

describe('textOfMicros', () => {
  it('writes every time that can be stored', () => {
    const times = fc.oneof(
      fc.maxSafeInteger(),
      fc.integer({ min: 99_999_990, max: 100_000_010 }),
      fc.bigInt({ min: EARLIEST, max: LATEST }),
      fc.nat(90_071_992).map((high) => high * 100_000_000),
    );
    fc.assert(
      fc.property(times, (micros) => {
        expect(textOfMicros(micros)).toBe(String(micros));
      }),
      { numRuns: rounds(1000, 300_000) },
    );
  });
});
