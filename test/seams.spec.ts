import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type IConfiguration, type ICruiseResult } from 'dependency-cruiser';

const rules = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as IConfiguration;

/** A file of a small tree, and what it holds. */
type Files = Readonly<Record<string, string>>;

/** Judges a tree of its own by the rules. @returns names of the rules that it breaks */
async function broken(files: Files): Promise<readonly string[]> {
  const root = mkdtempSync(join(tmpdir(), 'seams-'));
  try {
    const tree: Files = { 'package.json': JSON.stringify(PACKAGE), ...files };
    for (const [path, text] of Object.entries(tree)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    // The paths of `tsconfig.json` lead to the real tree.
    const { ...options } = rules.options ?? {};
    delete options.tsConfig;
    const { output } = await cruise(
      ['apps', 'libs'].filter((folder) => has(tree, folder)),
      {
        ...options,
        baseDir: root,
        ruleSet: { forbidden: rules.forbidden ?? [] },
        validate: true,
      },
    );
    const { summary } = output as ICruiseResult;
    return [...new Set(summary.violations.map(({ rule }) => rule.name))].sort();
  } finally {
    rmSync(root, { recursive: true });
  }
}

const has = (files: Files, folder: string): boolean =>
  Object.keys(files).some((path) => path.startsWith(`${folder}/`));

const PACKAGE = {
  name: 'tree',
  dependencies: { lmdb: '1.0.0', kafkajs: '1.0.0', chdb: '1.0.0', 'ffi-rs': '1.0.0' },
  devDependencies: { jest: '1.0.0' },
};

const thing = 'export const thing = 1;';
const takes = (path: string): string => `import { thing } from '${path}'; void thing;`;
/** A package that is installed in the tree. */
const installed = (name: string): Files => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, main: 'index.js' }),
  [`node_modules/${name}/index.js`]: 'exports.thing = 1;',
});

/** Each rule is here with the least tree that breaks it. */
const BREACHES: Readonly<Record<string, Files>> = {
  'libs-never-import-apps': {
    'libs/flow/a.ts': takes('../../apps/api/b.js'),
    'apps/api/b.ts': thing,
  },
  'apps-never-import-apps': { 'apps/api/a.ts': takes('../edge/b.js'), 'apps/edge/b.ts': thing },
  'the-console-is-alone': {
    'apps/console/a.ts': takes('../../libs/flow/index.js'),
    'libs/flow/index.ts': thing,
  },
  'edge-reaches-neither-accounts-nor-queue': {
    'apps/edge/a.ts': takes('../../libs/edge/index.js'),
    'libs/edge/index.ts': `export { thing } from '../identity/index.js';`,
    'libs/identity/index.ts': thing,
  },
  'folders-of-a-batch-s-way-in-one-direction': {
    'libs/intake/upload/a.ts': takes('../store/b.js'),
    'libs/intake/store/b.ts': thing,
    'libs/intake/store/c.ts': takes('../upload/d.js'),
    'libs/intake/upload/d.ts': thing,
  },
  'libs-through-the-front-door': {
    'libs/query/a.ts': takes('../warehouse/inner.js'),
    'libs/warehouse/inner.ts': thing,
  },
  'config-takes-settings-alone': {
    'libs/config/a.ts': takes('../query/index.js'),
    'libs/query/index.ts': thing,
  },
  'specs-through-the-front-door': {
    'libs/query/a.spec.ts': takes('../warehouse/inner.js'),
    'libs/warehouse/inner.ts': thing,
  },
  'apps-through-the-front-door': {
    'apps/api/a.ts': takes('../../libs/warehouse/engine/index.js'),
    'libs/warehouse/engine/index.ts': thing,
  },
  'apps-load-nothing-but-adapters-behind-the-door': {
    'apps/api/a.ts': `void import('../../libs/warehouse/inner.js');`,
    'libs/warehouse/inner.ts': thing,
  },
  'ports-load-adapters-lazily': {
    'libs/warehouse/open.ts': takes('./engine/index.js'),
    'libs/warehouse/engine/index.ts': thing,
  },
  'adapters-know-no-sibling': {
    'libs/warehouse/local-engine/a.ts': takes('../engine/b.js'),
    'libs/warehouse/engine/b.ts': thing,
  },
  'no-circles': {
    'libs/flow/a.ts': `${takes('./b.js')} export const a = 1;`,
    'libs/flow/b.ts': `import { a } from './a.js'; void a; ${thing}`,
  },
  'no-dev-dependency-at-run-time': { 'libs/flow/a.ts': takes('jest'), ...installed('jest') },
  'everything-resolves': { 'libs/flow/a.ts': takes('./nothing.js') },
  ...Object.fromEntries(
    ['chdb', 'ffi-rs', 'lmdb', 'kafkajs'].map((name) => [
      `driver-${name}-only-in-its-adapter`,
      { 'libs/query/a.ts': takes(name), ...installed(name) },
    ]),
  ),
  'driver-eventstoredb-only-in-its-adapter': {
    'libs/query/a.ts': takes('@eventstore/db-client'),
    ...installed('@eventstore/db-client'),
  },
  'driver-grpc-only-in-its-adapter': {
    'libs/query/a.ts': takes('@grpc/grpc-js'),
    ...installed('@grpc/grpc-js'),
  },
  'driver-apache-arrow-only-in-its-adapter': {
    'libs/query/a.ts': takes('apache-arrow'),
    ...installed('apache-arrow'),
  },
};

/** Rules of who may import which lib have one form: each is broken by an import of what it does not name. */
const LAYER = /^(.+?)-imports-only-/;

describe('the seams', () => {
  const names = (rules.forbidden ?? []).map(({ name = '' }) => name);

  it('have a breach for each rule', () => {
    const seeded = [...Object.keys(BREACHES), ...names.filter((name) => LAYER.test(name))];
    expect([...seeded].sort()).toEqual([...names].sort());
  });

  it.each(Object.entries(BREACHES))('%s bites', async (name, files) => {
    expect(await broken(files)).toContain(name);
  });

  it.each(names.filter((name) => LAYER.test(name)))('%s bites', async (name) => {
    const lib = LAYER.exec(name)?.[1];
    expect(
      await broken({
        [`libs/${lib}/a.ts`]: takes('../somewhere-else/index.js'),
        'libs/somewhere-else/index.ts': thing,
      }),
    ).toContain(name);
  });

  it('let a tree pass that breaks none', async () => {
    const fine: Files = {
      'apps/api/main.ts': `${takes('../../libs/warehouse/index.js')} void import('../../libs/warehouse/engine/index.js');`,
      'libs/warehouse/index.ts': thing,
      'libs/warehouse/engine/index.ts': takes('../index.js'),
    };
    expect(await broken(fine)).toEqual([]);
  });
});
