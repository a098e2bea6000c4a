// Prints the paths of the suites that failed in one of jest's --json files, on one line, for a second
// run. Prints nothing where none failed, where there is no file, and where so many failed that it
// is no matter of a busy machine.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const MOST = 8;
const [file] = process.argv.slice(2);
if (existsSync(file)) {
  const failed = JSON.parse(readFileSync(file, 'utf8'))
    .testResults.filter(({ status }) => status === 'failed')
    .map(({ name }) => relative(process.cwd(), name));
  if (failed.length <= MOST) console.log(failed.join(' '));
}
