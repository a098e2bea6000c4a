import { readFileSync } from 'node:fs';
import { OperatorError } from '@app/platform';

/**
 * These must not be in an environment that others can see, so each may come from a file that
 * `<name>_FILE` names.
 */
const SECRETS = [
  'MILLRACE_SECRET_KEY',
  'MILLRACE_ROOT_PASSWORD',
  'CLICKHOUSE_URL',
  'CLICKHOUSE_BACKUPS',
  'EVENTSTORE_URL',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
] as const;

/**
 * Returns the variables, with the contents of the files that they name. A line break at a file's
 * end does not count.
 * @throws when a file cannot be read, or a secret is given twice
 */
export function withSecretFiles(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { ...all } = variables;
  for (const name of SECRETS) {
    const file = variables[`${name}_FILE`];
    if (file === undefined) continue;
    if (variables[name] !== undefined)
      throw new OperatorError(
        `configuration: ${name} and ${name}_FILE are both set; leave one of them`,
      );
    all[name] = read(file, name).replace(/\r?\n$/, '');
    Reflect.deleteProperty(all, `${name}_FILE`);
  }
  return all;
}

function read(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new OperatorError(`configuration: ${name}_FILE: ${file} cannot be read (${code})`, {
      cause: error,
    });
  }
}
