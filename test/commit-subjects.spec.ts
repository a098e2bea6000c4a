import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, '../.ci/subjects');
const GOOD = ['Add a table', 'Bring the browser', `Say ${'x'.repeat(68)}`, 'Pass é on'];
const BAD = [`Say ${'x'.repeat(69)}`, 'Added a table', 'Adding a table', 'Adds it', 'add a table'];

interface Judgement {
  readonly code: number;
  readonly text: string;
}

describe('.ci/subjects', () => {
  let folder: string;

  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
  /** Adds an empty commit. @returns its id */
  const commit = (subject: string): string => {
    const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    git(...author, '-c', 'commit.gpgsign=false', 'commit', '-q', '--allow-empty', '-m', subject);
    return git('rev-parse', 'HEAD');
  };
  const judge = (base: string, cwd = folder): Judgement => {
    try {
      return { code: 0, text: execFileSync(SCRIPT, [base], { cwd, encoding: 'utf8' }) };
    } catch (error) {
      const { status, stdout } = error as { readonly status: number; readonly stdout: string };
      return { code: status, text: stdout };
    }
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'subjects-'));
    git('init', '-q');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('lets short subjects pass that begin with a verb, and judges none before the base', () => {
    commit(BAD[0] ?? 'one');
    const base = commit('Begin here');
    for (const subject of GOOD) commit(subject);
    expect(judge(base)).toEqual({
      code: 0,
      text: `${GOOD.length} subjects of commits were judged, 0 refused\n`,
    });
  });

  it('refuses long subjects, and those that do not begin with a verb', () => {
    const base = commit('Begin here');
    for (const subject of BAD) commit(subject);
    const { code, text } = judge(base);
    expect(code).toBe(1);
    for (const subject of BAD) expect(text).toContain(`: ${subject}\n`);
    expect(text).toMatch(/has 73 characters, and may have 72/);
  });

  it('says that it judges nothing in a shallow clone, and outside of a clone', () => {
    const base = commit('Begin here');
    commit('added a table');
    git('clone', '-q', '--depth', '1', `file://${folder}`, 'shallow');
    const skipped = { code: 0, text: expect.stringContaining('are not judged') as string };
    expect(judge(base, join(folder, 'shallow'))).toEqual(skipped);
    expect(judge(base, tmpdir())).toEqual(skipped);
  });
});
