import { addAbortSignal, type Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import type { ClickHouseSettings } from '@clickhouse/client';
import { NETWORK_ERROR } from '../warehouse-errors.js';
import type { SqlRunner } from '../sql/sql-runner.js';
import type { QueryProgress } from '../warehouse.js';
import { failureText } from './compressed-failure.js';
import { wasUnsent, type ServerNode } from './clickhouse-node.js';
import type { Request } from './clickhouse-request.js';
import { whole, type Headers } from './whole-answer.js';

/** Statements of our own name every column of a wide table several times. */
const STATEMENT_BYTES_MAX = 64 * 1024 * 1024;
/** A server that is restarted automatically is asked once more. */
const TRIES_OF_ONE = 2;
const OK = 200;
const ERROR_TEXT_MAX = 64 * 1024;

/**
 * Settings of all our own statements. The answer begins only when the work is done, so that its
 * status shows the outcome.
 */
const OWN: ClickHouseSettings = {
  wait_end_of_query: 1,
  max_query_size: String(STATEMENT_BYTES_MAX),
  // A stream of any size may be dropped, because its owner has decided so.
  max_table_size_to_drop: '0',
  max_partition_size_to_drop: '0',
  session_timezone: 'UTC',
  // Without this setting, some servers refuse a column of a time of day.
  enable_time_time64_type: 1,
};
/** Rows are on most replicas when an insert is answered, and a read finds them on every node. */
const OWN_ON_CLUSTER: ClickHouseSettings = {
  ...OWN,
  insert_quorum: 'auto',
  insert_quorum_parallel: 0,
  // If Keeper stores the rights, every node has them without ON CLUSTER.
  ignore_on_cluster_for_replicated_access_entities_queries: 1,
  select_sequential_consistency: '1',
};

/**
 * ClickHouse over HTTP; failures come as {@link WarehouseError}, lost connections as
 * `NETWORK_ERROR`. Of several nodes it stays with one as long as that one is there. A statement
 * that was sent to a lost node goes to the next one only if it may run twice.
 */
export class ClickHouseConnection implements SqlRunner {
  private readonly own: ClickHouseSettings;
  private preferred = 0;

  constructor(
    private readonly nodes: readonly ServerNode[],
    isCluster: boolean,
  ) {
    this.own = isCluster ? OWN_ON_CLUSTER : OWN;
  }

  async command(query: string, id?: string): Promise<void> {
    await this.text({ query, settings: this.own, ...(id === undefined ? {} : { id }) });
  }

  async rows<Row>(query: string, params: Readonly<Record<string, unknown>> = {}): Promise<Row[]> {
    const lines = await this.text({
      query: `${query}\nFORMAT JSONEachRow`,
      settings: this.own,
      params,
      isReading: true,
    });
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row);
  }

  /** Runs one of our own statements without a result, or an INSERT with its data. */
  async run(request: Request): Promise<void> {
    await this.text({ ...request, settings: { ...this.own, ...request.settings } });
  }

  /** The whole answer. */
  async text(request: Request): Promise<string> {
    return text(await this.stream(request));
  }

  /**
   * The bytes as the server sends them. A failure during the answer is the stream's error.
   * Destroying the stream closes the connection, which tells the server that the rest is not
   * needed.
   */
  async stream(request: Request): Promise<Readable> {
    request.signal?.throwIfAborted();
    const tries = this.nodes.some(({ lost }) => lost) ? TRIES_OF_ONE : this.nodes.length;
    for (let left = tries - 1; ; left -= 1) {
      const index = this.preferred;
      const node = this.nodes[index];
      if (!node) throw new Error('no address of a ClickHouse server');
      try {
        if (left > 0 && !(await node.isThere())) {
          this.leave(index);
          continue;
        }
        return await ask(node, request);
      } catch (error) {
        request.signal?.throwIfAborted();
        const failure = node.toError(error);
        if (failure.code !== NETWORK_ERROR) throw failure;
        this.leave(index);
        await node.lost?.();
        if (left === 0 || !(request.isReading === true || wasUnsent(error))) throw failure;
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()));
  }

  /** From now on, the next node is tried. */
  private leave(index: number): void {
    if (this.preferred === index) this.preferred = (index + 1) % this.nodes.length;
  }
}

async function ask(node: ServerNode, request: Request): Promise<Readable> {
  const { status, headers, body } = await node.send(request);
  if (status !== OK || 'x-clickhouse-exception-code' in headers)
    throw new Error((await failureText(await buffer(body))).slice(0, ERROR_TEXT_MAX));
  node.heard();
  if (request.onSummary) request.onSummary(summaryOf(headers));
  const rows = whole(body, headers, (error) => node.toError(error));
  return request.signal ? addAbortSignal(request.signal, rows) : rows;
}

function summaryOf(headers: Headers): QueryProgress {
  const summary = headers['x-clickhouse-summary'];
  const {
    read_rows: rows = '0',
    read_bytes: bytes = '0',
    result_rows: result = '0',
  } = (typeof summary === 'string' ? JSON.parse(summary) : {}) as Partial<Record<string, string>>;
  return { rowsRead: Number(rows), bytesRead: Number(bytes), resultRows: Number(result) };
}
