import { randomBytes } from 'node:crypto';
import { quoteIdentifier } from '@app/warehouse';

/** A table of the engine that is ours. */
export interface Copy {
  /** Quoted. */
  readonly table: string;
  /** Of what may be held: they are given back when it goes. */
  readonly bytes: number;
}

/** Where copies are. The guard refuses such names, as those of all databases. */
export const COPIES = `o_${randomBytes(16).toString('hex')}`;

/** @returns a name that nothing has yet, quoted. */
export const newCopyName = (): string =>
  `${COPIES}.${quoteIdentifier(randomBytes(8).toString('hex'))}`;
