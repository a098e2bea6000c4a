// A thread that judges one chunk at a time.
import { parentPort } from 'node:worker_threads';
import { ChunkMemory } from './chunk/chunk-memory.js';
import { judgeChunk } from './judge-chunk.js';
import type { JudgeJob } from './chunk/judge-job.js';

const memory = new ChunkMemory();

parentPort?.on('message', (job: JudgeJob) => {
  judgeChunk(job, memory).then(
    (judged) => parentPort?.postMessage({ judged }),
    (error: unknown) => {
      // An error that is sent to another thread loses its code, so the code is sent beside it.
      const { code } = error as NodeJS.ErrnoException;
      parentPort?.postMessage({ error, code });
    },
  );
});
