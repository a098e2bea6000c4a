import { readFileSync } from 'node:fs';

/** Resident memory of a process in bytes, and the most there was while it was watched. Linux only. */
export class MemoryWatch {
  private most: number;
  private readonly timer: NodeJS.Timeout;
  readonly before: number;

  constructor(private readonly pid: number) {
    this.before = residentBytes(pid);
    this.most = this.before;
    this.timer = setInterval(() => this.look(), 10);
  }

  /** Bytes above what there was at first. */
  stop(): number {
    clearInterval(this.timer);
    this.look();
    return this.most - this.before;
  }

  private look(): void {
    this.most = Math.max(this.most, residentBytes(this.pid));
  }
}

/** The most resident memory, in bytes, that a process has had. Linux only. */
export const mostMemory = (pid: number): number => statusBytes(pid, 'VmHWM');

/** Reads the resident memory of a process now, in bytes. */
export const residentBytes = (pid: number): number => statusBytes(pid, 'VmRSS');

function statusBytes(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
}
