import { randomBytes } from 'node:crypto';
import { ORGANIZATION_PREFIX } from './ddl.js';

const BYTES = 16;

/** Makes the name of an organization's database, which nobody can guess. */
export const newDatabaseName = (): string =>
  `${ORGANIZATION_PREFIX}${randomBytes(BYTES).toString('hex')}`;
