import fc from 'fast-check';
import { FieldTable } from './field-table.js';
import { isWellFormed } from '../../../../test/doubles/judge/slow-json.js';

const find = (table: FieldTable, name: string, expected = -1): number => {
  const bytes = Buffer.from(`"${name}"`);
  return table.find(bytes, 1, bytes.length - 1, expected);
};

describe('FieldTable', () => {
  it('finds names, and only those, whatever is expected', () => {
    const name = fc.oneof(
      fc.string(),
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('', '__proto__', 'constructor', 'toString', 'a', 'A', 'é', 'e\u0301', '😀'),
    );
    const names = fc.uniqueArray(
      name.filter((each) => isWellFormed(each)),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(
        names,
        fc.array(name),
        fc.integer({ min: -2, max: 250 }),
        (all, some, expected) => {
          const table = new FieldTable(all);
          for (const [index, each] of all.entries()) {
            expect(find(table, each, expected)).toBe(index);
            expect(table.indexOf(each)).toBe(index);
          }
          for (const each of some.filter((one) => isWellFormed(one)))
            expect(find(table, each, expected)).toBe(all.indexOf(each));
          expect(table.names).toEqual(all);
        },
      ),
    );
  });

  it('finds a name with its colon where it is written as records usually write it', () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom('', 'a', 'ab', 'a"', 'a\\', 'é', '\u2028', 'a\n'),
    );
    const names = fc.uniqueArray(
      name.filter((each) => isWellFormed(each)),
      { minLength: 1, maxLength: 100 },
    );
    fc.assert(
      fc.property(
        names,
        fc.nat(),
        fc.nat(),
        fc.constantFrom('1', '', ' ', '"'),
        (all, one, other, rest) => {
          const table = new FieldTable(all);
          const [index, asked] = [one % all.length, other % (all.length + 2)];
          const key = JSON.stringify(all[index]);
          const bytes = Buffer.from(`,${key}:${rest}`);
          const isPlain = key === `"${all[index]}"`;
          const end = isPlain && asked === index ? bytes.length - rest.length : -1;
          expect(table.behind(asked, bytes, 1)).toBe(end);
          expect(table.behind(index, bytes.subarray(0, -1 - rest.length), 1)).toBe(-1);
          expect(table.behind(index, Buffer.from(`,${key} :1`), 1)).toBe(-1);
        },
      ),
    );
  });

  it('holds 25,000 names that begin alike, and long ones, added one by one', () => {
    const table = new FieldTable([]);
    const long = 'x'.repeat(64 * 1024);
    const names = Array.from({ length: 25_000 }, (_, index) => `field.with.a.prefix.${index}`);
    names.push(long, `${long}y`, `${long.slice(1)}y`, '');
    const before = names.map((name) => table.indexOf(name));
    expect(new Set(before)).toEqual(new Set([-1]));
    const indexes = names.map((_, index) => index);
    expect(names.map((name) => table.add(name))).toEqual(indexes);
    expect(names.map((name, index) => find(table, name, index - 1))).toEqual(indexes);
  });

  /** Names of one hash, in the bits that choose a place, by FNV-1a as it usually begins. */
  const colliding = (count: number): string[] => {
    const found: string[] = [];
    for (let number = 0; found.length < count; number += 1) {
      const name = number.toString(36);
      let hash = 0x811c9dc5;
      for (let at = 0; at < name.length; at += 1)
        hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
      // This byte makes all those bits 0, if it is a letter.
      const last = hash & 0x1fff;
      if (last >= 0x61 && last <= 0x7a) found.push(name + String.fromCharCode(last));
    }
    return found;
  };

  /**
   * The shortest time of some tries, in milliseconds: other work on the machine only adds to it.
   */
  const timeOf = (names: readonly string[]): number => {
    const tries = Array.from({ length: 4 }, () => {
      const started = performance.now();
      const table = new FieldTable(names);
      for (let round = 0; round < 10; round += 1) for (const name of names) table.indexOf(name);
      return performance.now() - started;
    });
    return Math.min(...tries);
  };

  it('is as quick with names that were chosen to fall on one place', () => {
    const chosen = colliding(5000);
    const others = chosen.map((_, index) => `n${index}`);
    // Each with each they would take twenty times as long.
    expect(timeOf(chosen)).toBeLessThan(6 * timeOf(others));
  });
});
