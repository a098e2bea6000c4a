import { certain } from '@app/platform';
import {
  AUDIT_COLUMNS,
  AUDIT_TABLE,
  ORGANIZATION_PREFIX,
  qualified,
  type Ddl,
} from '../ddl/ddl.js';
import { quoteIdentifier, quoteText } from '../ddl/identifier.js';
import type { AuditFilter, AuditRow, AuditTables } from '../ports/audit-tables.js';
import { runAll, type SqlRunner } from './sql-runner.js';

/** The columns in the order of the table, each with the row's field. */
const FIELDS: readonly (readonly [string, keyof AuditRow])[] = [
  ['position', 'position'],
  ['type', 'type'],
  ['outcome', 'outcome'],
  ['actor', 'actor'],
  ['actor_id', 'actorId'],
  ['subject', 'subject'],
  ['subject_id', 'subjectId'],
  ['address', 'address'],
  ['user_agent', 'userAgent'],
  ['request_id', 'requestId'],
  ['stream', 'stream'],
  ['data', 'data'],
  ['previous_hash', 'previousHash'],
  ['hash', 'hash'],
];
const TIME =
  "concat(replaceOne(toString(toTimeZone(_timestamp, 'UTC')), ' ', 'T'), 'Z') AS occurredAt";
const SELECTED = FIELDS.map(([column, field]) =>
  column === 'position' ? 'toString(`_audit`.`position`) AS position' : `${column} AS ${field}`,
).join(', ');

const tableOf = (database: string): string => qualified({ database, table: AUDIT_TABLE });

/** The insert makes one part, whatever the number of rows; times are ISO 8601 with their zone. */
const INSERT_SETTINGS =
  "async_insert = 0, max_threads = 1, max_insert_threads = 1, max_insert_block_size = 1048576, min_insert_block_size_rows = 1048576, min_insert_block_size_bytes = 0, max_block_size = 1048576, input_format_parallel_parsing = 0, date_time_input_format = 'best_effort'";

/** Lets one of several processes append. */
export interface AuditFence {
  /**
   * Takes the right to insert. When it resolves, no other process has the right, and no insert of
   * another process is running.
   */
  claim(): Promise<void>;
  holds(): Promise<boolean>;
  /**
   * Resolves when the table shows the outcome of every insert of this process.
   * @throws {FencedError}
   */
  settle(): Promise<void>;
  /**
   * @param run runs an insert with this id, which stores rows only if the condition holds
   * @throws {FencedError} when another process has claimed since
   */
  insert(run: (condition: string, id: string) => Promise<void>): Promise<void>;
}

const STRUCTURE = AUDIT_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ');

/** Reads and writes `_audit` : few rows, a statement each. */
export class SqlAuditTables implements AuditTables {
  constructor(
    private readonly runner: SqlRunner,
    private readonly ddl: Ddl,
    /** The protection against other processes; undefined if only one process has the tables. */
    private readonly fence?: AuditFence,
  ) {}

  createAuditTable(database: string): Promise<void> {
    return runAll(this.runner, this.ddl.createAuditTable(database));
  }

  dropAuditTable(database: string): Promise<void> {
    return runAll(this.runner, this.ddl.dropTable({ database, table: AUDIT_TABLE }));
  }

  async claimAudit(): Promise<void> {
    await this.fence?.claim();
  }

  async holdsAudit(): Promise<boolean> {
    return (await this.fence?.holds()) ?? true;
  }

  /** A mutation that nobody waits for any more is no statement, so a process that has ended is not waited for. */
  async isChanging(database: string): Promise<boolean> {
    const named = this.ddl
      .databasesOf(database)
      .map((each) => `position(query, ${quoteText(quoteIdentifier(each))}) > 0`);
    const [running] = await this.runner.rows<{ n: number }>(
      `SELECT toFloat64(count()) AS n FROM ${this.ddl.processes} WHERE match(query, '^(CREATE|ALTER|DROP) ') AND (${named.join(' OR ')})`,
    );
    return certain(running, 'count of statements').n > 0;
  }

  async appendAudit(database: string, rows: readonly AuditRow[]): Promise<void> {
    if (rows.length === 0) return;
    const columns = AUDIT_COLUMNS.map(({ name }) => name).join(', ');
    // The values follow the statement as data, because the engine parses a text in it several
    // times.
    const lines = rows.map(lineOf).join('\n');
    const insert = (condition: string, id?: string): Promise<void> =>
      this.runner.command(
        `INSERT INTO ${tableOf(database)} (${columns}) SETTINGS ${INSERT_SETTINGS}
         SELECT ${columns} FROM input(${quoteText(STRUCTURE)}) WHERE ${condition} FORMAT JSONCompactEachRow\n${lines}`,
        id,
      );
    if (this.fence) await this.fence.insert(insert);
    else await insert('1');
  }

  async lastAudit(database: string): Promise<AuditRow | undefined> {
    await this.fence?.settle();
    const [last] = await this.select(database, 'ORDER BY `_audit`.`position` DESC LIMIT 1');
    return last;
  }

  async lastAuditPosition(): Promise<string | undefined> {
    const all = await this.lastAuditPositions();
    const [first, ...others] = [...all.values()].map(BigInt);
    if (first === undefined) return undefined;
    return String(others.reduce((most, each) => (each > most ? each : most), first));
  }

  /** Asks all databases in one statement, because there may be thousands. */
  async lastAuditPositions(): Promise<ReadonlyMap<string, string>> {
    await this.fence?.settle();
    const [there] = await this.runner.rows<{ n: number }>(
      `SELECT toFloat64(count()) AS n FROM system.tables WHERE startsWith(database, ${quoteText(ORGANIZATION_PREFIX)}) AND name = ${quoteText(AUDIT_TABLE)}`,
    );
    if (certain(there, 'count of tables').n === 0) return new Map();
    const rows = await this.runner.rows<{ database: string; position: string }>(
      `SELECT _database AS database, toString(max(position)) AS position FROM merge(REGEXP(${quoteText(`^${ORGANIZATION_PREFIX}`)}), ${quoteText(`^${AUDIT_TABLE}$`)}) GROUP BY _database`,
    );
    return new Map(rows.map(({ database, position }) => [database, position]));
  }

  async auditPage(
    database: string,
    { offset, limit, ...filter }: AuditFilter,
  ): Promise<{ rows: readonly AuditRow[]; total: number }> {
    const where = conditions(tableOf(database), filter);
    const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
    const [rows, [count]] = await Promise.all([
      this.select(
        database,
        `${condition} ORDER BY \`_audit\`.\`position\` DESC LIMIT ${limit} OFFSET ${offset}`,
      ),
      this.runner.rows<{ n: number }>(
        `SELECT toFloat64(count()) AS n FROM ${tableOf(database)} AS _audit ${condition}`,
      ),
    ]);
    return { rows, total: certain(count, 'count of entries').n };
  }

  async namesOfStreams(
    database: string,
    eventStreams: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    if (eventStreams.length === 0) return new Map();
    const rows = await this.runner.rows<{ stream: string; name: string }>(
      `SELECT stream, ${NAME} AS name FROM ${tableOf(database)} WHERE ${CREATED} AND stream IN (${eventStreams.map(quoteText).join(', ')})`,
    );
    return new Map(rows.map(({ stream, name }) => [stream, name]));
  }

  auditAfter(database: string, position: string, limit: number): Promise<readonly AuditRow[]> {
    return this.select(
      database,
      `WHERE \`_audit\`.\`position\` > ${BigInt(position)} ORDER BY \`_audit\`.\`position\` LIMIT ${limit}`,
    );
  }

  async eraseFromAudit(database: string, personIds: readonly string[]): Promise<void> {
    if (personIds.length === 0) return;
    const ids = `(${personIds.map(quoteText).join(', ')})`;
    // A failed login belongs to no account, but its address may identify the owner of the account.
    const theirs = `(actor_id IN ${ids} OR (actor = 'anonymous' AND subject_id IN ${ids}))`;
    const [left] = await this.runner.rows<{ n: number }>(
      `SELECT toFloat64(count()) AS n FROM ${tableOf(database)}
       WHERE (${theirs} AND (address, user_agent) != ('', '')) OR (actor_id IN ${ids} AND actor != '') OR (subject_id IN ${ids} AND subject != '')`,
    );
    if (certain(left, 'count of entries').n === 0) return;
    await this.runner.command(
      `ALTER TABLE ${tableOf(database)}
       UPDATE address = '', user_agent = '' WHERE ${theirs},
       UPDATE actor = '' WHERE actor_id IN ${ids},
       UPDATE subject = '' WHERE subject_id IN ${ids} SETTINGS mutations_sync = 2`,
    );
  }

  truncateAudit(database: string, position: string): Promise<void> {
    return this.runner.command(
      `ALTER TABLE ${tableOf(database)} DELETE WHERE position > ${BigInt(position)} SETTINGS mutations_sync = 2`,
    );
  }

  private select(database: string, rest: string): Promise<AuditRow[]> {
    return this.runner.rows<AuditRow>(
      `SELECT ${TIME}, ${SELECTED} FROM ${tableOf(database)} AS _audit ${rest}`,
    );
  }
}

/** Writes the fields in the order of the columns. Text that is not Unicode is replaced, because the engine would refuse it. */
const lineOf = (row: AuditRow): string =>
  JSON.stringify([row.occurredAt, ...FIELDS.map(([, field]) => row[field].toWellFormed())]);

type Conditions = Omit<AuditFilter, 'offset' | 'limit'>;

/** Entries that are not ours say nothing about names. */
const CREATED = "type = 'StreamCreated' AND outcome = 'done'";
const NAME = "JSONExtractString(data, 'name')";

function conditions(
  table: string,
  { type, actor, outcome, stream, hash, start, end }: Conditions,
): string[] {
  const time = (micros: number): string => `fromUnixTimestamp64Micro(${Math.trunc(micros)}, 'UTC')`;
  return [
    ...(type === undefined ? [] : [`_audit.type = ${quoteText(type)}`]),
    ...(actor === undefined
      ? []
      : [`(_audit.actor = ${quoteText(actor)} OR _audit.actor_id = ${quoteText(actor)})`]),
    ...(outcome === undefined ? [] : [`_audit.outcome = ${quoteText(outcome)}`]),
    ...(stream === undefined
      ? []
      : [
          `(_audit.stream = ${quoteText(stream)} OR _audit.stream IN (SELECT stream FROM ${table} WHERE ${CREATED} AND ${NAME} = ${quoteText(stream)}))`,
        ]),
    ...(hash === undefined ? [] : [`_audit.hash = ${quoteText(hash)}`]),
    ...(start === undefined ? [] : [`_audit._timestamp >= ${time(start)}`]),
    ...(end === undefined ? [] : [`_audit._timestamp < ${time(end)}`]),
  ];
}
