// Sums up a run of .ci/run: jest's --json files plus the steps that are not tests.
// What failed and passed when it was asked once more, alone, is listed as not steady and counts as passed.
// The last line it prints is `N passed, N failed`; it ends with 1 if anything failed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
// a suite that could not even start has failed tests nobody counted
const failuresOf = (run) => run.numFailedTests + run.numRuntimeErrorTestSuites;
const failedTests = (run) =>
  run.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const tests = assertionResults.filter(({ status }) => status === 'failed');
      return tests.length === 0 ? [name] : tests.map(({ fullName }) => `${name}: ${fullName}`);
    });

/** The beginning of what it said: who sees only the end of a long log finds the cause there. */
const saidBy = (run, test) => {
  const messages = run.testResults.flatMap(({ name, message, assertionResults }) =>
    [{ fullName: undefined, failureMessages: [message] }, ...assertionResults].flatMap(
      ({ fullName, failureMessages }) =>
        (fullName === undefined ? name : `${name}: ${fullName}`) === test ? failureMessages : [],
    ),
  );
  // eslint-disable-next-line no-control-regex -- a terminal's colours begin with one
  return (messages[0] ?? '').replaceAll(/\u001B\[\d+m/g, '').slice(0, 600);
};

/** Tells whether the second run had all suites that failed in the first. */
const hasAll = (first, second) => {
  const asked = new Set(second.testResults.map(({ name }) => name));
  return first.testResults.every(({ name, status }) => status !== 'failed' || asked.has(name));
};

/** Jest's own code for failed tests; any other (a time-out, a crash at the end) is no test's. */
const TESTS_FAILED = 1;

let passed = 0;
let failed = 0;
const failedIn = {};

for (const file of readdirSync(folder).filter((name) => /^[^.]+\.json$/.test(name))) {
  const step = file.replace(/\.json$/, '');
  const first = read(file);
  const second = existsSync(join(folder, `${step}.again.json`))
    ? read(`${step}.again.json`)
    : undefined;
  const last = second !== undefined && hasAll(first, second) ? second : first;
  const failures = failuresOf(last);
  const successes = first.numPassedTests + Math.max(0, failuresOf(first) - failures);
  console.log(`${step}: ${successes} passed, ${failures} failed`);
  if (second !== undefined) {
    const still = new Set(failedTests(second));
    for (const test of failedTests(first))
      if (!still.has(test)) console.log(`not steady, it passed alone: ${test}`);
  }
  for (const test of failedTests(last)) console.log(`failed: ${test}\n${saidBy(last, test)}`);
  passed += successes;
  failed += failures;
  failedIn[step] = failures;
}

const list = join(folder, 'failed-steps');
const steps = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : [];
for (const line of steps) {
  const [step, code] = line.split(' ');
  const isAgain = step.endsWith('-again');
  const suite = step.replace(/-again$/, '');
  // A test that failed and ran again counts by its second result.
  const wasAsked = existsSync(join(folder, `${suite}.again.json`));
  if (!isAgain && wasAsked && failedIn[suite] === 0 && Number(code) === TESTS_FAILED) continue;
  console.log(`step failed: ${step}, with code ${code}`);
  // a test step's own failures are counted above; one that left no count counts itself
  if (!failedIn[suite]) failed += 1;
}

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
