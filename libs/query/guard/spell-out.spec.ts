import { asWritten, castOf, spellOut } from './spell-out.js';

const printable = (text: string): string | undefined => spellOut(Buffer.from(text))?.printable;

describe('a statement spelled out', () => {
  it.each([
    ['a, b', 'a\\, b'],
    ['x, identifier: t', 'x, identifier: t'],
    ['a\nb', 'a\\nb'],
    ['a`b\\', 'a\\`b\\\\'],
    ['web-1.access', 'web-1.access'],
    ['größe 😀', 'größe 😀'],
  ])('has a name that cannot be taken for anything else: %j', (name, escaped) => {
    const spelled = printable(`SELECT 1 AS \`${escaped.replace('\\,', ',')}\` FROM t`);
    const [, shown = ''] = /`(.*)`/s.exec(spelled ?? '') ?? [];
    expect(shown).not.toMatch(/[,:.\n`\\]/);
    expect(asWritten(shown)).toBe(name);
  });

  it('keeps texts, but for what would end a line', () => {
    expect(printable("SELECT 'it\\'s, a: b', 'a\\nb'")).toBe("SELECT 'it\\'s, a: b', 'a b'");
  });

  it('runs what was written', () => {
    const statement = "SELECT 'it\\'s\\n', `a, b`, x.1 FROM t";
    expect(spellOut(Buffer.from(statement))?.pieces).toEqual([statement]);
  });

  it('writes bytes that are no characters as escapes', () => {
    const bytes = Buffer.concat([Buffer.from("SELECT '"), Buffer.from([0xff]), Buffer.from("'")]);
    expect(spellOut(bytes)?.pieces).toEqual(["SELECT '\\xff'"]);
  });

  it('finds the places of values, outside of texts only', () => {
    const { pieces, printable: shown } = spellOut(
      Buffer.from("SELECT {x:Array(UInt8)}, '{y:Int8}'"),
    ) ?? { pieces: [], printable: '' };
    expect(pieces).toEqual(['SELECT ', { name: 'x', type: 'Array(UInt8)' }, ", '{y:Int8}'"]);
    expect(shown).toBe("SELECT CAST('\ue1ffx', 'Array(UInt8)'), '{y:Int8}'");
    expect(castOf("it's \\ \0", "DateTime('UTC')")).toBe(
      "CAST('it\\'s \\\\ \\0', 'DateTime(\\'UTC\\')')",
    );
  });

  it.each([
    'SELECT 1 -- x',
    'SELECT 1 /* x */',
    'SELECT 1; SELECT 2',
    'SELECT "x"',
    'SELECT $$x$$',
    'SELECT 1 # x',
    "SELECT 'x",
    'SELECT `x',
    'SELECT größe',
    'SELECT 1\nFROM t',
    'SELECT {x}',
    'SELECT {x:Int8`}',
    'SELECT `a\ue02cb`',
    'SELECT `a\u2028b`',
  ])('is refused when the engine would not print it so: %j', (text) => {
    expect(spellOut(Buffer.from(text))).toBeUndefined();
  });
});
