/** A message as the client's decoder leaves it. */
interface FetchedMessage {
  readonly offset: string;
  readonly key: Buffer | null;
  /** Control records never reach a consumer. */
  isControlRecord: boolean;
  readonly batchContext?: { readonly producerId: string; readonly inTransaction: boolean };
}

interface FetchedPartition {
  readonly messages: readonly FetchedMessage[];
  abortedTransactions?: AbortedTransaction[];
}

interface AbortedTransaction {
  readonly producerId: string;
  readonly firstOffset: string;
}

export interface FetchAnswer {
  readonly responses: readonly { readonly partitions: readonly FetchedPartition[] }[];
}

/** Version 0, type 0: the transaction ended with an abort. */
const ABORT = Buffer.from([0, 0, 0, 0]);

/**
 * Hides aborted records. kafkajs 2.2.4 takes one aborted transaction from the broker's list with
 * each message, and takes the list for sorted, which the broker does not promise: it shows records
 * that were aborted, and hides committed ones of a producer that has aborted before.
 */
export function hideAborted({ responses }: FetchAnswer): void {
  for (const { partitions } of responses)
    for (const partition of partitions) {
      const coming = [...(partition.abortedTransactions ?? [])].sort((one, other) =>
        BigInt(one.firstOffset) < BigInt(other.firstOffset) ? -1 : 1,
      );
      partition.abortedTransactions = [];
      if (coming.length > 0) hide(partition.messages, coming);
    }
}

function hide(messages: readonly FetchedMessage[], coming: AbortedTransaction[]): void {
  const aborted = new Set<string>();
  for (const message of messages) {
    const offset = BigInt(message.offset);
    for (let next = coming[0]; next && BigInt(next.firstOffset) <= offset; next = coming[0]) {
      aborted.add(next.producerId);
      coming.shift();
    }
    const { producerId = '', inTransaction = false } = message.batchContext ?? {};
    if (message.isControlRecord) {
      if (message.key?.equals(ABORT) === true) aborted.delete(producerId);
    } else if (inTransaction && aborted.has(producerId)) message.isControlRecord = true;
  }
}
