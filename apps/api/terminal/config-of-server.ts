import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfigOfCommand, type Config } from '@app/config';
import { OperatorError } from '@app/platform';

const KEPT = ['events', 'warehouse', 'dead-letter'];

/**
 * Reads the variables of the server for whose data a command is. A command in another folder, or
 * with a typing error in the variable, would find nothing wrong with nothing.
 * @throws {OperatorError} when there is no such data
 */
export function configOfServer(): Config {
  const config = readConfigOfCommand();
  const { dataDirectory, eventStore } = config;
  const isThere = KEPT.some((name) => existsSync(join(dataDirectory, name)));
  if (eventStore === undefined && !isThere)
    throw new OperatorError(
      `there is no data of Millrace in ${dataDirectory}: set MILLRACE_DATA_DIR to the data directory of the server`,
    );
  return config;
}
