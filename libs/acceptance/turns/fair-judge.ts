import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { judgeChunk } from '../judge/judge-chunk.js';
import type { JudgedChunk, JudgeJob } from '../judge/chunk/judge-job.js';
import { JudgeThreads } from '../judge/judge-threads.js';
import { FairSemaphore } from '@app/flow';

export interface Judge {
  judge(job: JudgeJob): Promise<JudgedChunk>;
}

/**
 * A chunk of this size is judged within a millisecond. Sending it to a thread would take longer.
 */
const SMALL_BYTES = 128 * 1024;
/** Chunks that are judged at once. */
const SLOTS = 2;

/** The judge of records, shared out fairly: what is small waits for nothing, and with what is large organizations take turns. */
@Injectable()
export class FairJudge implements OnApplicationShutdown {
  private readonly slots = new FairSemaphore(SLOTS);
  private readonly threads = new JudgeThreads();

  /** Chunks that wait for their turn. */
  get waiting(): number {
    return this.slots.waiting;
  }

  /** The judge of so many bytes of an upload. Of one organization's, the oldest goes first, so that uploads end instead of all going on. */
  for(share: string, uploadId: string, bytes: number): Judge {
    if (bytes <= SMALL_BYTES) {
      return {
        judge: (job) => {
          this.slots.notice(share);
          return judgeChunk(job);
        },
      };
    }
    return { judge: (job) => this.slots.use(share, uploadId, () => this.threads.judge(job)) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }
}
