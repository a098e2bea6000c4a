import {
  ANY,
  NO_STREAM,
  type AppendExpectedRevision,
  type JSONEventType,
} from '@eventstore/db-client';
import type { ExpectedRevision } from '../event-store.js';

/** @throws {TypeError} for values that JSON cannot hold; the client would not report them. */
export function storable(data: unknown): JSONEventType['data'] {
  JSON.stringify(data);
  return data as JSONEventType['data'];
}

export const toExpected = (expected: ExpectedRevision): AppendExpectedRevision =>
  typeof expected === 'number' ? BigInt(expected) : expected === 'any' ? ANY : NO_STREAM;
