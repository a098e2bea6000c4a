import { readdirSync, readFileSync } from 'node:fs';

/** The most resident memory, in bytes, that the children of a launcher have had. Linux only. */
export function programMemory(launcher: number): number {
  return childrenOf(launcher).reduce((sum, pid) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return sum + Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
  }, 0);
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter((each) => each !== '')
      .map(Number),
  );
}
