// A thread that judges one chunk at a time.
import { parentPort } from 'node:worker_threads';
import { judgeChunk } from './judge-chunk.js';
import type { JudgeJob } from './judge-job.js';

parentPort?.on('message', (job: JudgeJob) => {
  try {
    parentPort?.postMessage({ judged: judgeChunk(job) });
  } catch (error) {
    // Of an error that is sent to another thread its code is not sent with it.
    const { code } = error as NodeJS.ErrnoException;
    parentPort?.postMessage({ error, code });
  }
});
