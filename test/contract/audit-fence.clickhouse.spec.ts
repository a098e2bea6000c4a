import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FencedError, NETWORK_ERROR, WarehouseError, type AuditTables } from '@app/warehouse';
import { AuditClaim } from '../../libs/warehouse/client/audit-claim.js';
import { ClickHouseConnection } from '../../libs/warehouse/client/clickhouse-connection.js';
import { ClickHouseNode } from '../../libs/warehouse/client/clickhouse-node.js';
import { PartitionClaims } from '../../libs/warehouse/client/partition-claims.js';
import { Ddl } from '../../libs/warehouse/ddl/ddl.js';
import { openClickHouse } from '../../libs/warehouse/clickhouse/open-clickhouse.js';
import { TrailLeaderElection } from '../../libs/audit/trail/trail-leader-election.js';
import { ClickHouseDouble } from '../doubles/clickhouse/clickhouse-double.js';
import { Wire } from '../doubles/clickhouse/wire.js';
import { auditRow } from './audit-tables.contract.js';

const NO_ENGINE = { run: () => Promise.resolve(''), async *spool() {} };
const LIMITS = { timeoutSeconds: 10, memoryBytes: 1e9, readRows: 1e9, readBytes: 1e9, resultRows: 1e3, resultBytes: 1e6 }; // prettier-ignore

describe('the audit trail of two processes on a ClickHouse server (double)', () => {
  let directory: string;
  let double: ClickHouseDouble;
  let wire: Wire;
  let a: AuditTables;
  let b: AuditTables;
  let database: string;
  const closing: (() => Promise<void>)[] = [];

  const open = async (name: string, port: number): Promise<AuditTables> => {
    const url = double.url.replace(/:\d+$/, `:${port}`);
    const warehouse = await openClickHouse({
      address: { urls: [url], cluster: undefined },
      directory: join(directory, name),
      limits: LIMITS,
      localEngine: NO_ENGINE,
      closeEngine: () => Promise.resolve(),
    });
    closing.push(() => warehouse.close());
    return warehouse;
  };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-audit-fence-'));
    double = await ClickHouseDouble.start(join(directory, 'server'));
    wire = await Wire.to(double.port);
    a = await open('a', wire.port);
    b = await open('b', double.port);
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await wire.close();
    await double.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    database = `o_${randomUUID().replaceAll('-', '')}`;
    await b.createAuditTable(database);
  });
  const positions = async (): Promise<number[]> =>
    (await b.auditAfter(database, '-1', 100)).map(({ position }) => Number(position));

  it('takes rows of who claimed last, and nothing of the other', async () => {
    await a.claimAudit();
    await a.appendAudit(database, [auditRow(1)]);
    await b.claimAudit();
    expect([await a.holdsAudit(), await b.holdsAudit()]).toEqual([false, true]);
    await expect(a.appendAudit(database, [auditRow(2)])).rejects.toThrow(FencedError);
    await b.appendAudit(database, [auditRow(2)]);
    expect(await positions()).toEqual([1, 2]);
  });

  it('tells a process whose insert was ended by who claims that it was outrun', async () => {
    const connection = new ClickHouseConnection([new ClickHouseNode(double.url)], false);
    closing.push(() => connection.close());
    const [first, second] = [0, 1].map(
      () => new AuditClaim(new PartitionClaims(connection, new Ddl(undefined))),
    ) as [AuditClaim, AuditClaim];
    const ended = new WarehouseError(394, 'QUERY_WAS_CANCELLED', 'Query was cancelled.');
    await first.claim();
    await expect(first.insert(() => Promise.reject(ended))).rejects.toBe(ended);
    const claimed = first.insert(async () => {
      await second.claim();
      throw ended;
    });
    await expect(claimed).rejects.toThrow(FencedError);
  });

  it('tells a writer whose insert was ended by a new claim of its own process, too', async () => {
    const connection = new ClickHouseConnection([new ClickHouseNode(double.url)], false);
    closing.push(() => connection.close());
    const claim = new AuditClaim(new PartitionClaims(connection, new Ddl(undefined)));
    const ended = new WarehouseError(394, 'QUERY_WAS_CANCELLED', 'Query was cancelled.');
    await claim.claim();
    const claimedAgain = claim.insert(async () => {
      await claim.claim();
      throw ended;
    });
    await expect(claimedAgain).rejects.toThrow(FencedError);
    expect(await claim.holds()).toBe(true);
  });

  it('has a row once whose answer was lost: it is found before it would be sent again', async () => {
    await a.claimAudit();
    wire.loseAnswers(true);
    await expect(a.appendAudit(database, [auditRow(1)])).rejects.toMatchObject({
      code: NETWORK_ERROR,
    });
    wire.loseAnswers(false);
    expect((await a.lastAudit(database))?.position).toBe('1');
    await a.appendAudit(database, [auditRow(2)]);
    expect(await positions()).toEqual([1, 2]);
  });

  it('tells a process that was outrun while it did not know whether its row is there', async () => {
    await a.claimAudit();
    wire.loseAnswers(true);
    await expect(a.appendAudit(database, [auditRow(1)])).rejects.toMatchObject({
      code: NETWORK_ERROR,
    });
    await b.claimAudit();
    wire.loseAnswers(false);
    await expect(a.lastAudit(database)).rejects.toThrow(FencedError);
    expect((await a.lastAudit(database))?.position).toBe((await b.lastAudit(database))?.position);
    await expect(a.appendAudit(database, [auditRow(5)])).rejects.toThrow(FencedError);
  });

  it('is written by another when the one that leads is too slow', async () => {
    const [slow, patient, other] = [
      new TrailLeaderElection(a),
      new TrailLeaderElection(b),
      new TrailLeaderElection(b, { maxWaitMs: 50 }),
    ];
    await slow.take();
    const waiting = patient.follow(database, 1n, () => false);
    await a.appendAudit(database, [auditRow(1)]);
    await waiting;
    expect([slow.isLeading, patient.isLeading]).toEqual([true, false]);
    await other.follow(database, 2n, () => false);
    expect([other.isLeading, await slow.confirm(), await other.confirm()]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('is led by a projector, which takes the lead back from a stand-in, and by others while no projector runs', async () => {
    const reserve = new TrailLeaderElection(a, { rank: 'reserve', maxWaitMs: 50 });
    const projector = new TrailLeaderElection(b, { rank: 'projector', maxWaitMs: 50 });
    await projector.start();
    await reserve.start();
    expect([projector.isLeading, reserve.isLeading]).toEqual([true, false]);
    await reserve.follow(database, 1n, () => false);
    expect([await projector.confirm(), reserve.isLeading]).toEqual([false, true]);
    await projector.follow(database, 1n, () => false);
    expect([projector.isLeading, await reserve.confirm()]).toEqual([true, false]);
  });
});
