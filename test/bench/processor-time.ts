import { readdirSync, readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;
/** Places behind the command's name. */
const [PARENT, MINOR_FAULTS, USER, SYSTEM, USER_OF_ENDED, SYSTEM_OF_ENDED] = [1, 7, 11, 12, 13, 14];

/** Reads the numbers that the kernel gives for a process, behind the name of the process. */
function told(pid: number): readonly number[] {
  const [, behindName = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?=\S )/);
  return behindName.split(' ').map(Number);
}

const sum = (fields: readonly number[], places: readonly number[]): number =>
  places.reduce((all, place) => all + (fields[place] ?? 0), 0) / TICKS_A_SECOND;

/** Seconds of processor time that a process has used, by all its threads. Says more than the clock on a busy machine. Linux only. */
export const processorSeconds = (pid: number): number => sum(told(pid), [USER, SYSTEM]);

/**
 * Adds the times of a process and of all that it has started, directly or not, also those that have
 * ended.
 */
export function familyProcessorSeconds(pid: number): number {
  const all = new Map<number, readonly number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      all.set(Number(name), told(Number(name)));
    } catch {
      // The process has ended meanwhile, so it is not ours: our processes run until the bench ends
      // them.
    }
  }
  const ofFamily = (member: number): number =>
    sum(all.get(member) ?? [], [USER, SYSTEM, USER_OF_ENDED, SYSTEM_OF_ENDED]) +
    [...all]
      .filter(([, fields]) => fields[PARENT] === member)
      .reduce((seconds, [child]) => seconds + ofFamily(child), 0);
  return ofFamily(pid);
}

/** Pages that a process was given without reading a disk, since its start. Linux only. */
export const minorFaults = (pid: number): number => told(pid)[MINOR_FAULTS] ?? NaN;
