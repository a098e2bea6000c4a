import { createRequire } from 'node:module';
import { hideAborted, type FetchAnswer } from './committed-reads.js';
import { fetchAnswerBytes } from './fetch-fixture.js';

/** The internals of kafkajs that exactly-once relies on, before they are checked. */
export interface ClientInternals {
  readonly version: string;
  /** `src/broker/index.js`: the class whose `fetch` every consumer calls. */
  readonly broker: unknown;
  /** `src/protocol/requests/fetch/index.js`: the decoder of a broker's answer. */
  readonly fetch: unknown;
  /** `src/consumer/batch.js`: the code that chooses the messages that a consumer sees. */
  readonly batch: unknown;
}

interface BrokerClass {
  readonly prototype: {
    fetch: (this: unknown, ...options: unknown[]) => Promise<FetchAnswer>;
  };
}

interface FetchRequests {
  readonly versions: readonly string[];
  readonly protocol: (options: {
    version: number;
  }) => (options: object) => { response: { decode: (bytes: Buffer) => Promise<FetchAnswer> } };
}

type BatchClass = new (
  topic: string,
  offset: string,
  partition: object,
) => { readonly messages: readonly { readonly offset: string }[] };

/** The installed client differs from the one whose internals are known. */
class UnknownClientError extends Error {
  override readonly name = 'UnknownClientError';

  constructor(version: string, what: string, options?: ErrorOptions) {
    super(
      `kafkajs ${version} cannot be used: ${what}. Millrace hides aborted transactions within this client; with a client of another shape, records would be lost or shown that were never committed. Install the version that package-lock.json names.`,
      options,
    );
  }
}

const FETCH_VERSION = 11;

/**
 * There are two producers: the first aborts and then commits, the second aborts. The broker lists
 * aborted transactions in no order. Without the patch, the client shows the wrong records here.
 */
const ANSWER = fetchAnswerBytes(
  [
    { offset: 0, producerId: 1, kind: 'data' },
    { offset: 1, producerId: 2, kind: 'data' },
    { offset: 2, producerId: 1, kind: 'abort' },
    { offset: 3, producerId: 1, kind: 'data' },
    { offset: 4, producerId: 1, kind: 'commit' },
    { offset: 5, producerId: 2, kind: 'abort' },
  ],
  [
    { producerId: 2, firstOffset: 1 },
    { producerId: 1, firstOffset: 0 },
  ],
);
const COMMITTED = '3';

/** @throws {UnknownClientError} when the installed version has no such files */
export async function installedInternals(): Promise<ClientInternals> {
  const { version } = createRequire(import.meta.url)('kafkajs/package.json') as {
    version: string;
  };
  try {
    const [broker, fetch, batch] = await Promise.all([
      import('kafkajs/src/broker/index.js'),
      import('kafkajs/src/protocol/requests/fetch/index.js'),
      import('kafkajs/src/consumer/batch.js'),
    ]);
    return { version, broker: broker.default, fetch: fetch.default, batch: batch.default };
  } catch (error) {
    throw new UnknownClientError(version, 'its files have other names', { cause: error });
  }
}

/**
 * Reads a known answer with the client's own internals, from a broker's bytes to what a consumer sees.
 * @returns the class whose `fetch` may be replaced @throws {UnknownClientError}
 */
export async function checkedBroker(internals: ClientInternals): Promise<BrokerClass> {
  const { version, broker } = internals;
  if (!isBrokerClass(broker)) throw new UnknownClientError(version, 'its Broker has no fetch()');
  const { versions } = internals.fetch as Partial<FetchRequests>;
  const newest = Math.max(...(versions ?? []).map(Number));
  if (newest !== FETCH_VERSION)
    throw new UnknownClientError(
      version,
      `the newest fetch request it knows is ${newest}, not ${FETCH_VERSION}`,
    );
  const seen = await committedOffsets(internals).catch((error: unknown) => {
    throw new UnknownClientError(version, 'it takes a fetched answer apart in another way', {
      cause: error,
    });
  });
  if (seen.join() !== COMMITTED)
    throw new UnknownClientError(
      version,
      `of a known answer it shows the records [${seen.join()}], not [${COMMITTED}]`,
    );
  return broker;
}

async function committedOffsets({ fetch, batch }: ClientInternals): Promise<readonly string[]> {
  const request = (fetch as FetchRequests).protocol({ version: FETCH_VERSION })({ topics: [] });
  const answer = await request.response.decode(ANSWER);
  hideAborted(answer);
  const partitions = answer.responses.flatMap((response) => response.partitions);
  const Batch = batch as BatchClass;
  return partitions.flatMap((partition) =>
    new Batch('t', '0', partition).messages.map(({ offset }) => offset),
  );
}

function isBrokerClass(internal: unknown): internal is BrokerClass {
  if (typeof internal !== 'function') return false;
  const { fetch } = internal.prototype as { fetch?: unknown };
  return typeof fetch === 'function';
}
