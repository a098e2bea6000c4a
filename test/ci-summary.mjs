// Sums up a run of .ci/run: jest's --json files plus the steps that are not tests.
// The last line it prints is `N passed, N failed`; it ends with 1 if anything failed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
let passed = 0;
let failed = 0;
const failedIn = {};

for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const run = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  // a suite that could not even start has failed tests nobody counted
  const failures = run.numFailedTests + run.numRuntimeErrorTestSuites;
  console.log(`${file}: ${run.numPassedTests} passed, ${failures} failed`);
  passed += run.numPassedTests;
  failed += failures;
  failedIn[file.replace(/\.json$/, '')] = failures;
}

const list = join(folder, 'failed-steps');
const steps = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : [];
for (const step of steps) {
  console.log(`step failed: ${step}`);
  // a test step's own failures are counted above; one that left no count counts itself
  if (!failedIn[step]) failed += 1;
}

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
