import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const environmentMessage =
  'Only libs/config reads the environment, and edge-environment.ts; take a Config.';

/**
 * `list[at] ?? ''`, `list.at(-1) ?? 0` and the like, which turn a mistake of ours into data. A key
 * that is written out, as in `headers['name'] ?? ''`, may well be absent.
 */
const indexFallback = [
  'LogicalExpression[operator=/^(?:\\?\\?|\\|\\|)$/]',
  ":matches([left.type='MemberExpression'][left.computed=true]:not([left.property.value=/./]), [left.callee.property.name='at'])",
  ":matches([right.raw=/^(?:0n?|'')$/], [right.type='ArrayExpression'][right.elements.length=0], [right.type='ObjectExpression'][right.properties.length=0])",
].join('');

export default defineConfig(
  globalIgnores(['dist/', 'dist.part/', 'data/', 'coverage/', '.cache/', 'test/fixtures/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.{mjs,cjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        module: 'writable',
        URL: 'readonly',
        Buffer: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        WebAssembly: 'readonly',
        Blob: 'readonly',
      },
    },
  },
  {
    // Runs in the browser.
    files: ['libs/query/graphiql/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['document', 'location', 'fetch', 'URL', 'URLSearchParams', 'Option'],
          ...['GraphiQL', 'React', 'ReactDOM'],
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommended],
    languageOptions: {
      parserOptions: { emitDecoratorMetadata: true, experimentalDecorators: true },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      // Leaves files with decorators alone: their constructor types must stay value imports.
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
      ],
      // Nest modules are classes without members.
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: environmentMessage },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: ['node:process', 'process'].map((name) => ({
            name,
            importNames: ['env', 'default'],
            message: environmentMessage,
          })),
        },
      ],
    },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    // Loops over bytes read one place behind the last as 0, and are too hot for a call a byte.
    ignores: [
      '**/*.spec.ts',
      'apps/console/**',
      'libs/acceptance/judge/**',
      'libs/intake/frame/**',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: indexFallback,
          message:
            'A place that must be there: certain() of @app/platform, for-of or destructuring.',
        },
      ],
    },
  },
  {
    files: ['libs/config/config*.ts', 'libs/edge/config/edge-environment.ts', 'test/**/*.ts'],
    rules: { 'no-restricted-properties': 'off', 'no-restricted-imports': 'off' },
  },
  prettier,
);
