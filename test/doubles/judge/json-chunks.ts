import fc from 'fast-check';

/**
 * JSON texts of every shape, most of them valid, and the results of changing some of their bytes.
 */
const blank = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom(' ', '\t', '\r', ' \t ', '\u00a0', '\u000b') },
);
const piece = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...'abc/019 é😀\u2028\u007f') },
  { weight: 3, arbitrary: fc.constantFrom(...'"\\/bfnrt'.split('').map((each) => `\\${each}`)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('\\u0061', '\\u00E9', '\\ud83d\\ude00', '\\u0000', '\\uFFFF'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\\ud83d', '\\ude00', '\\ud83d\\u0061', '\\x', '\u0001', '\\u00g0', '\\u12'), // prettier-ignore
  },
);
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => `"${pieces.join('')}"`);
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('"a"', '"b"', '"é"', '""', '"_timestamp"', '"@timestamp"') }, // prettier-ignore
  { weight: 2, arbitrary: fc.constantFrom('"\\u0061"', '"\\u00e9"', '"_\\u0074imestamp"', '"A"', '"__proto__"') }, // prettier-ignore
  { weight: 1, arbitrary: text },
);

const digits = (least: number, most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...'000123456789'), { minLength: least, maxLength: most }).map((all) => all.join('')); // prettier-ignore
const number = fc.oneof(
  fc.integer({ min: -99, max: 99 }).map(String),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
  fc
    .tuple(
      fc.constantFrom('', '', '', '-', '+'),
      digits(0, 21),
      fc.option(digits(0, 12).map((all) => `.${all}`)),
      fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), digits(0, 3)).map((all) => all.join(''))), // prettier-ignore
    )
    .map((parts) => parts.join('')),
  fc.constantFrom(
    ...['-0', '-0.0', '0e5', '1.0', '1e3', '12e-1', '120e-1', '1e400', '1e-400', '5e-324', '-'],
    ...['9007199254740992', '9007199254740993', '-9007199254740993', '9007199254740993.0'],
    ...['9223372036854775807', '9223372036854775808', '-9223372036854775808'],
    ...['-9223372036854775809', '18446744073709551615', '18446744073709551616', '1e19', '2e19'],
    ...['1.8446744073709551615e19', '1767225600000000', '1767225600', '0.000', '00', '01', '1.'],
  ),
);
const time = fc.constantFrom(
  ...['"2026-01-01T00:00:00Z"', '"2024-02-29"', '"2023-02-29"', '"1767225600"', '"x"', '"0"'],
  ...['0', 'null', '1767225600', '1767225600123', '1767225600123456', '1767225600123456789'],
  ...['1.7672256e9', '-1', '99999999999999999', 'true', '"\\u0032026-01-01"', '8999999999999999'],
);

const { value } = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: number },
    { weight: 2, arbitrary: text },
    { weight: 2, arbitrary: fc.constantFrom('null', 'true', 'false', 'nul', 'True', 'NaN') },
    { weight: 2, arbitrary: tie('array') },
    { weight: 2, arbitrary: tie('object') },
  ),
  array: fc
    .tuple(
      blank,
      fc.array(
        fc.tuple(blank, tie('value'), blank).map((all) => all.join('')),
        { maxLength: 4 },
      ),
    ) // prettier-ignore
    .map(([space, elements]) => `[${elements.join(',') || space}]`),
  object: fc
    .tuple(blank, fc.array(member(name, tie('value')), { maxLength: 4 }))
    .map(([space, members]) => `{${members.join(',') || space}}`),
}));

function member(named: fc.Arbitrary<string>, of: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(blank, named, blank, blank, of, blank)
    .map(([a, key, b, c, held, d]) => `${a}${key}${b}:${c}${held}${d}`);
}

const simple = fc.constantFrom('1', '-5', '1.5', '"x"', 'true', 'null', '[]', '[1]', '[1.0,null]', '{}', '{"x":1}'); // prettier-ignore
const times = fc.constantFrom('"_timestamp"', '"_timestamp"', '"@timestamp"', '"_\\u0074imestamp"');
const record = fc
  .tuple(
    blank,
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: member(name, simple) },
        { weight: 3, arbitrary: member(name, value) },
        { weight: 3, arbitrary: member(times, time) },
      ),
      { maxLength: 4 },
    ),
    blank,
  )
  .map(([before, members, after]) => `${before}{${members.join(',')}}${after}`);
const nested = fc
  .tuple(fc.nat(4), fc.constantFrom(['[', ']'], ['{"a":', '}']), simple)
  .map(([more, [open = '', close = ''], held]) => {
    const levels = 97 + more;
    return `{"a":${open.repeat(levels)}${held}${close.repeat(levels)}}`;
  });

/** An edit takes bytes away, adds some, or changes some. */
const edit = fc.record({
  at: fc.nat(),
  without: fc.constantFrom(0, 1, 1, 2, 1000),
  more: fc.oneof(
    fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"', '\\', '\n', 'e', '.', '-', '0', ' '),
    fc.uint8Array({ maxLength: 2 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  ),
});
const line = fc
  .tuple(
    fc.oneof(
      { weight: 12, arbitrary: record },
      { weight: 1, arbitrary: value },
      { weight: 1, arbitrary: nested },
      { weight: 1, arbitrary: blank },
    ),
    fc.option(fc.array(edit, { maxLength: 2 }), { freq: 3 }),
  )
  .map(([json, edits]) =>
    (edits ?? []).reduce((bytes, { at, without, more }) => {
      const from = bytes.length === 0 ? 0 : at % bytes.length;
      return Buffer.concat([
        bytes.subarray(0, from),
        Buffer.from(more, 'latin1'),
        bytes.subarray(from + without),
      ]);
    }, Buffer.from(json)),
  );

/** Lines with any ends, the last one with or without. */
export const chunks: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n', '\n\n', '\n \n')), {
      maxLength: 8,
    }),
    fc.boolean(),
  )
  .map(([lines, isEnded]) => {
    const parts = lines.flatMap(([bytes, end]) => [bytes, Buffer.from(end)]);
    return Buffer.concat(isEnded ? parts : parts.slice(0, -1));
  });
