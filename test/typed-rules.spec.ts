import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const LINTER = join(root, 'node_modules/oxlint/bin/oxlint');
/** The linter would look for it in the tree. */
const TYPES = join(root, 'node_modules/.bin/tsgolint');
const RULES = join(root, '.oxlintrc.json');

const GIVEN = `
interface Shape { readonly a: string }
class Thing { v = 1; method(): number { return this.v; } }
enum One { A, B }
enum Two { A, B }
declare function read(): Promise<string>;
declare const anything: any;
declare const shape: Shape;
declare const list: number[];
declare const kind: 'a' | 'b';
declare const text: string;
declare const one: One;
declare const two: Two;
declare function take(value: string): void;
`;

/** Each rule that needs types is here with the least that breaks it. */
const BREACHES: Readonly<Record<string, string>> = {
  'await-thenable': 'await 5;',
  'no-array-delete': 'delete list[0];',
  'no-base-to-string': 'take(String(shape));',
  'no-duplicate-type-constituents': 'export type Twice = Shape | Shape;',
  'no-floating-promises': 'read();',
  'no-for-in-array': 'for (const at in list) take(at);',
  'no-implied-eval': "setTimeout('take()', 1);",
  'no-misused-promises': 'list.forEach(async () => { await read(); });',
  'no-redundant-type-constituents': 'export type Any = Shape | any;',
  'no-unnecessary-type-assertion': 'take(text as string);',
  'no-unsafe-argument': 'take(anything);',
  'no-unsafe-assignment': 'export const taken: string = anything;',
  'no-unsafe-call': 'anything();',
  'no-unsafe-enum-comparison': 'export const same = one === 1;',
  'no-unsafe-member-access': 'take(String(1) + String(anything.b as string));',
  'no-unsafe-return': 'export function back(): string { return anything; }',
  'no-unsafe-unary-minus': 'export const less = -text;',
  'only-throw-error': "throw 'x';",
  'prefer-promise-reject-errors': "export const none = Promise.reject('x');",
  'require-await': 'export async function hasten(): Promise<number> { return 1; }',
  'restrict-plus-operands': 'export const sum = list + text;',
  'restrict-template-expressions': 'take(`${String(1)}${shape}`);',
  'switch-exhaustiveness-check': "switch (kind) { case 'a': break; }",
  'unbound-method': 'export const loose = new Thing().method;',
};

/** The rules that each file breaks, by its name without an ending. */
let broken: ReadonlyMap<string, ReadonlySet<string>>;

interface Judged {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}

/** Judges each piece of code as a file of its own, in a tree of its own. */
async function judge(codes: Readonly<Record<string, string>>): Promise<typeof broken> {
  const tree = mkdtempSync(join(tmpdir(), 'typed-rules-'));
  try {
    copyFileSync(RULES, join(tree, '.oxlintrc.json'));
    const compilerOptions = { strict: true, target: 'ES2023', module: 'nodenext', types: [] };
    writeFileSync(join(tree, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    writeFileSync(join(tree, 'package.json'), '{"type":"module"}');
    for (const [name, code] of Object.entries(codes))
      writeFileSync(join(tree, `${name}.ts`), `${GIVEN}${code}\nexport {};\n`);
    const printed = await new Promise<string>((resolve) => {
      const args = [LINTER, '--format', 'json', '.'];
      const env = { ...process.env, OXLINT_TSGOLINT_PATH: TYPES };
      // It exits with 1 where something is broken.
      execFile(process.execPath, args, { cwd: tree, env, maxBuffer: 2 ** 26 }, (_, out) =>
        resolve(out),
      );
    });
    const found = new Map(Object.keys(codes).map((name) => [name, new Set<string>()]));
    for (const { code, filename } of (JSON.parse(printed) as Judged).diagnostics)
      found.get(filename.replace(/^.*\/|\.ts$/g, ''))?.add(code.replace(/^.*\((.*)\)$/, '$1'));
    return found;
  } finally {
    rmSync(tree, { recursive: true });
  }
}

describe('the linter of what needs types', () => {
  beforeAll(async () => {
    broken = await judge({ ...BREACHES, fine: 'take(`${list.length}${text}`);\nawait read();' });
  });

  it.each(Object.keys(BREACHES))('refuses what breaks %s', (rule) => {
    expect([...(broken.get(rule) ?? [])]).toContain(rule);
  });

  it('lets other code pass', () => {
    expect([...(broken.get('fine') ?? ['not judged'])]).toEqual([]);
  });

  it('has no rule that is not shown here', () => {
    const { rules } = JSON.parse(readFileSync(RULES, 'utf8')) as { rules: object };
    const names = Object.keys(rules).map((name) => name.replace('typescript/', ''));
    expect(names.sort()).toEqual(Object.keys(BREACHES).sort());
  });
});
