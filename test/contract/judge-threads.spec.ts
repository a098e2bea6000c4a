import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const THREADS = join(import.meta.dirname, '../../dist/libs/acceptance/judge/judge-threads.js');

/** Runs statements with the compiled threads; in a process, for TypeScript has no program for a thread. */
async function run(statements: string, directory: string): Promise<unknown> {
  const program = `
    import { JudgeThreads } from ${JSON.stringify(THREADS)};
    const threads = new JudgeThreads();
    const source = ${JSON.stringify(join(directory, 'source'))};
    const job = { source, firstLine: 1, columns: [], objects: [], exact: [], refusedFields: new Map([['a', 'not so']]),
      fieldsMax: 2000, acceptedAt: 0, keptFrom: undefined, uploadId: 'u', stream: 's' };
    const targets = (name) => ({ accepted: source + name + '.a.zst', rejected: source + name + '.r' });
    const told = (promise) => promise.then((value) => value, ({ message, code }) => ({ message, code }));
    // Threads keep no process alive.
    const alive = setInterval(() => {}, 1000);
    let answer;
    ${statements}
    clearInterval(alive);
    console.log(JSON.stringify(answer));`;
  const file = join(directory, 'program.mjs');
  writeFileSync(file, program);
  const child = spawn(process.execPath, [file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout));
}

describe('the threads of the judge', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-threads-'));
  beforeAll(() => {
    const lines = Array.from({ length: 50_000 }, (_, n) => `{"n":null,"m":[],"t":${n % 2 ? 'null' : '1'}}`); // prettier-ignore
    writeFileSync(join(directory, 'source'), lines.join('\n'));
    writeFileSync(join(directory, 'large'), '{"x":null}\n'.repeat(3_000_000));
    writeFileSync(join(directory, 'small'), '{"a":1}\n{"b":null}');
    // A link, because the judge removes a file that is in the place of its own.
    for (const ending of ['a.zst', 'r'])
      symlinkSync('/dev/full', join(directory, `sourcefull.${ending}`));
  });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it('judge several chunks at once, and one after the other', async () => {
    const answer = await run(
      `const judge = (index) => threads.judge({ ...job, targets: targets(index) });
       const all = await Promise.all([judge(0), judge(1), judge(2)]);
       for (let index = 0; index < 5; index += 1) all.push(await judge(index));
       answer = [threads.idle.length, threads.busy.size, all.map(({ accepted, rejected, isNew, survey }) =>
         [accepted, rejected.lines.length, rejected.lines[1], rejected.reasonOf[1], rejected.reasons, isNew, survey.length])];
       await threads.close();`,
      directory,
    );
    const each = [25_000, 25_000, 3, 0, ['field "t": int64 cannot become a column'], false, 4];
    expect(answer).toEqual([3, 0, Array.from({ length: 8 }, () => each)]);
  });

  it('are told what is refused, and say what failed by its code, and judge on', async () => {
    expect(
      await run(
        `const small = { ...job, source: source.replace('source', 'small') };
         const missing = await told(threads.judge({ ...small, source: '/nowhere/at/all' }));
         const full = await told(threads.judge({ ...small, targets: targets('full') }));
         const odd = await told(threads.judge({ ...small, source: undefined }));
         const { accepted, rejected } = await threads.judge(small);
         const written = await threads.judge({ ...small, targets: targets('s') });
         answer = [missing.code, full.code, odd.message.length > 0, accepted, rejected ?? null, written.rejected.reasons, threads.busy.size];
         await threads.close();`,
        directory,
      ),
    ).toEqual(['ENOENT', 'ENOSPC', true, 1, null, ['field "a": int64 not so'], 0]); // prettier-ignore
  });

  it('end while they judge, and take nothing afterwards', async () => {
    expect(
      await run(
        `const begun = performance.now();
         const large = { ...job, source: source.replace('source', 'large') };
         const ended = [told(threads.judge(large)), told(threads.judge(large))];
         await threads.close();
         const closed = performance.now() - begun;
         const after = await told(threads.judge(job));
         answer = [...(await Promise.all(ended)), after].map(({ message }) => message).concat(closed < 5000);`,
        directory,
      ),
    ).toEqual([
      'a thread that judges records has ended',
      'a thread that judges records has ended',
      'the judge is closed',
      true,
    ]);
  });
});
