/**
 * Processor time of this process, in milliseconds: what a bound on work is measured by, since the
 * clock goes on while a busy machine does other things.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
