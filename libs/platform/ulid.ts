import { randomInt } from 'node:crypto';
import { ulid as ulidBy } from 'ulid';

/** One of the 32 characters, as a fraction. By itself the library asks the kernel for each. */
const fraction = (): number => randomInt(32) / 32;

/** A new id of 26 characters: the milliseconds of now and 80 random bits. */
export const ulid = (): string => ulidBy(undefined, fraction);
