import { availableParallelism } from 'node:os';
import { bundleForJest } from './bin/bundle-for-jest.mjs';
import { swcOptions } from './bin/swc-options.mjs';

const bundles = await bundleForJest();

const project = (displayName, testMatch, more = {}) => ({
  displayName,
  testMatch: testMatch.map((glob) => `<rootDir>/${glob}`),
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['js', 'mjs', 'cjs', 'ts', 'json', 'node'],
  modulePathIgnorePatterns: ['dist', 'dist.part', 'data', '.cache'].map(
    (each) => `<rootDir>/${each}/`,
  ),
  moduleNameMapper: {
    '^@app/(.*)$': '<rootDir>/libs/$1/index.ts',
    // our sources say './x.js', as node wants it; under jest the file is still x.ts
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // Its own build in one file: jest takes a millisecond for each of two hundred files, in each suite.
    '^rxjs(?:/operators)?$': '<rootDir>/node_modules/rxjs/dist/bundles/rxjs.umd.js',
    ...bundles,
  },
  setupFiles: ['reflect-metadata'],
  transform: { '^.+\\.ts$': ['<rootDir>/bin/transform-for-jest.mjs', swcOptions] },
  ...more,
});

export default {
  cacheDirectory: '.cache/jest',
  // Engines and servers start in a second; a machine with other work may take two minutes.
  testTimeout: 180_000,
  // Jest would leave a machine of two cores one worker, and much of a test is waiting for a server.
  maxWorkers: Math.max(3, availableParallelism() - 1),
  projects: [
    project('unit', ['apps/**/*.spec.ts', 'libs/**/*.spec.ts', 'test/*.spec.ts']),
    project('contract', ['test/contract/**/*.spec.ts']),
    project('e2e', ['test/e2e/**/*.spec.ts'], {
      // Suites may borrow a running server: test/server/borrow-server.ts.
      globalSetup: '<rootDir>/test/server/lent/set-up.mjs',
      globalTeardown: '<rootDir>/test/server/lent/tear-down.mjs',
    }),
    project('distributed', ['test/distributed/**/*.spec.ts']),
    project('campaign', ['test/campaign/**/*.spec.ts']),
    project('faults', ['test/faults/**/*.spec.ts']),
    project('bench', ['test/bench/**/*.spec.ts']),
  ],
};
