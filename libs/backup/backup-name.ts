import { OperatorError } from '@app/platform';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/**
 * Gives the backup's name: the wished one, or the time.
 * @param wished undefined: the time becomes the name
 * @param taken a name that is reserved
 * @throws {OperatorError} when the name cannot be used
 */
export function backupName(wished: string | undefined, begunAt: string, taken?: string): string {
  const name = wished ?? begunAt.replace(/[:.]/g, '-');
  if (isBackupName(name) && name !== taken) return name;
  const but = taken === undefined ? '' : `, and not ${taken}`;
  throw new OperatorError(
    `a backup cannot be called ${JSON.stringify(name)}: want letters, digits, ".", "_" and "-", at most 100${but}`,
  );
}

export const isBackupName = (name: string): boolean => NAME.test(name);
