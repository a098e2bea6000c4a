import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { judgeChunk } from './judge-chunk.js';
import type { JudgedChunk, JudgeJob } from './judge-job.js';

const PROGRAM = new URL('./judge-thread.js', import.meta.url);
/** Below dist; where TypeScript runs as it is, as in a test, there is no program for a thread. */
const isCompiled = existsSync(fileURLToPath(PROGRAM));

type Answer = { readonly judged: JudgedChunk } | { readonly error: Error; readonly code?: string };

/** Threads that judge chunks, so that the main thread goes on answering; each takes one at a time. */
export class JudgeThreads {
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Worker, (error: Error) => void>();
  private closed = false;

  /** As many jobs at once as the caller begins: it has the turns. */
  async judge(job: JudgeJob): Promise<JudgedChunk> {
    if (!isCompiled) return judgeChunk(job);
    if (this.closed) throw new Error('the judge is closed');
    const worker = this.idle.pop() ?? new Worker(PROGRAM);
    worker.unref();
    const answer = await this.ask(worker, job);
    if (this.closed) await worker.terminate();
    else this.idle.push(worker);
    if ('error' in answer) throw Object.assign(answer.error, { code: answer.code });
    return answer.judged;
  }

  async close(): Promise<void> {
    this.closed = true;
    const workers = [...this.idle.splice(0), ...this.busy.keys()];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  /** @throws when the thread ends, which it does by a fault of ours or when it has no memory */
  private async ask(worker: Worker, job: JudgeJob): Promise<Answer> {
    try {
      return await new Promise<Answer>((resolve, reject) => {
        this.busy.set(worker, reject);
        worker.once('message', resolve);
        worker.once('error', reject);
        worker.once('exit', () => {
          reject(new Error('a thread that judges records has ended'));
        });
        worker.postMessage(job);
      });
    } finally {
      this.busy.delete(worker);
      worker.removeAllListeners();
    }
  }
}
