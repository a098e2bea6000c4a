import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Runs outside of Jest, which would evaluate the linter's packages file by file. */
const PROGRAM = `
import { Linter } from 'eslint';
import config from './eslint.config.mjs';
const rule = config.map(({ rules }) => rules?.['no-restricted-syntax']).find(Boolean);
const judged = JSON.parse(process.argv[1]).map((code) =>
  new Linter().verify(code, [{ rules: { 'no-restricted-syntax': rule } }]).map(({ ruleId }) => ruleId),
);
console.log(JSON.stringify(judged));
`;

/** For each piece of code, whether the linter's rule on fallbacks refuses it. */
function refused(codes: readonly string[]): boolean[] {
  const given = ['--input-type=module', '-e', PROGRAM, JSON.stringify(codes)];
  const printed = execFileSync(process.execPath, given, { cwd: root, encoding: 'utf8' });
  return (JSON.parse(printed) as string[][]).map((rules) => rules.includes('no-restricted-syntax'));
}

describe('the linter', () => {
  it('refuses a fallback where a place in a list must be there', () => {
    const codes = [
      "list[at] ?? '';",
      'list[at + 1] ?? 0;',
      'list.at(-1) ?? 0n;',
      'list[0] || [];',
      'within.list[at] ?? {};',
    ];
    expect(refused(codes)).toEqual(codes.map(() => true));
  });

  it('lets defaults pass that a reader can name', () => {
    const codes = [
      "headers['content-type'] ?? '';",
      "tokens[at - 1]?.text ?? '';",
      "/x(.)/.exec(text)?.[1] ?? '';",
      'counts.get(key) ?? 0;',
      "KINDS[code] ?? 'INVALID_SQL';",
    ];
    expect(refused(codes)).toEqual(codes.map(() => false));
  });
});
