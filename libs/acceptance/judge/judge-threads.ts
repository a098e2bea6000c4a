import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { judgeChunk } from './judge-chunk.js';
import type { JudgedChunk, JudgeJob } from './chunk/judge-job.js';

const PROGRAM = new URL('./judge-thread.js', import.meta.url);
/**
 * The program of a thread lies below dist. When TypeScript runs directly, as in a test, there is no
 * such program.
 */
const isCompiled = existsSync(fileURLToPath(PROGRAM));

type Answer = { readonly judged: JudgedChunk } | { readonly error: Error; readonly code?: string };

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** Threads that judge chunks, so that the main thread goes on answering; each takes one at a time. */
export class JudgeThreads {
  private readonly idle: Worker[] = [];
  private readonly busy = new Map<Worker, Waiting>();
  private closed = false;

  /**
   * Judges as many jobs at once as the caller starts; the caller has the semaphore.
   * @throws when the thread ends, because of a fault of ours or without memory
   */
  async judge(job: JudgeJob): Promise<JudgedChunk> {
    if (this.closed) throw new Error('the judge is closed');
    if (!isCompiled) return judgeChunk(job);
    const worker = this.idle.pop() ?? this.open();
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.busy.set(worker, { resolve, reject });
      worker.postMessage(job);
    });
    if ('error' in answer) throw Object.assign(answer.error, { code: answer.code });
    return answer.judged;
  }

  async close(): Promise<void> {
    this.closed = true;
    const workers = [...this.idle.splice(0), ...this.busy.keys()];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  private open(): Worker {
    const worker = new Worker(PROGRAM);
    const take = (): Waiting | undefined => {
      const waiting = this.busy.get(worker);
      this.busy.delete(worker);
      return waiting;
    };
    worker.on('message', (answer: Answer) => {
      const waiting = take();
      this.idle.push(worker);
      waiting?.resolve(answer);
    });
    worker.on('error', (error) => take()?.reject(error));
    worker.on('exit', () => {
      const at = this.idle.indexOf(worker);
      if (at >= 0) this.idle.splice(at, 1);
      take()?.reject(new Error('a thread that judges records has ended'));
    });
    worker.unref();
    return worker;
  }
}
