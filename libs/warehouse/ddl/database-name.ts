import { randomBytes } from 'node:crypto';
import { ORGANIZATION_PREFIX } from './ddl.js';

const BYTES = 16;

/** Of an organization's database; nobody can guess it. */
export const newDatabaseName = (): string =>
  `${ORGANIZATION_PREFIX}${randomBytes(BYTES).toString('hex')}`;
