import { readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;
/** Places of utime and stime behind the command's name. */
const [USER, SYSTEM] = [11, 12];

/** Seconds of processor time that a process has used, by all its threads. Says more than the clock on a busy machine. Linux only. */
export function processorSeconds(pid: number): number {
  const [, behindName = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = behindName.split(' ').map(Number);
  return ((fields[USER] ?? 0) + (fields[SYSTEM] ?? 0)) / TICKS_A_SECOND;
}
