import { WarehouseError, type AuditFilter, type AuditRow, type AuditTables } from '@app/warehouse';

/**
 * Audit tables in memory: for tests with more histories than an engine could take, and for tests
 * that change rows behind the trail's back.
 */
export class MemoryAuditTables implements AuditTables {
  readonly databases = new Map<string, AuditRow[]>();

  createAuditTable(database: string): Promise<void> {
    if (!this.databases.has(database)) this.databases.set(database, []);
    return Promise.resolve();
  }

  claimAudit(): Promise<void> {
    return Promise.resolve();
  }

  holdsAudit(): Promise<boolean> {
    return Promise.resolve(true);
  }

  isChanging(_: string): Promise<boolean> {
    return Promise.resolve(false);
  }

  appendAudit(database: string, rows: readonly AuditRow[]): Promise<void> {
    this.rows(database).push(...rows.map((row) => ({ ...row })));
    return Promise.resolve();
  }

  async lastAudit(database: string): Promise<AuditRow | undefined> {
    return Promise.resolve(this.inOrder(database).at(-1));
  }

  async lastAuditPosition(): Promise<string | undefined> {
    const [first, ...others] = [...(await this.lastAuditPositions()).values()].map(BigInt);
    if (first === undefined) return undefined;
    return String(others.reduce((most, each) => (each > most ? each : most), first));
  }

  lastAuditPositions(): Promise<ReadonlyMap<string, string>> {
    const last = [...this.databases.keys()].flatMap((database) => {
      const row = this.inOrder(database).at(-1);
      return row ? [[database, row.position] as const] : [];
    });
    return Promise.resolve(new Map(last));
  }

  auditPage(
    database: string,
    { offset, limit, ...filter }: AuditFilter,
  ): Promise<{ rows: readonly AuditRow[]; total: number }> {
    const found = this.inOrder(database)
      .reverse()
      .filter((row) => isWanted(row, filter))
      .filter(({ stream }) => {
        const { stream: wanted = stream } = filter;
        return stream === wanted || this.createdNames(database).get(stream) === wanted;
      });
    return Promise.resolve({ rows: found.slice(offset, offset + limit), total: found.length });
  }

  namesOfStreams(
    database: string,
    eventStreams: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const all = [...this.createdNames(database)];
    return Promise.resolve(new Map(all.filter(([stream]) => eventStreams.includes(stream))));
  }

  auditAfter(database: string, position: string, limit: number): Promise<readonly AuditRow[]> {
    const later = this.inOrder(database).filter((row) => BigInt(row.position) > BigInt(position));
    return Promise.resolve(later.slice(0, limit));
  }

  eraseFromAudit(database: string, personIds: readonly string[]): Promise<void> {
    const erased = new Set(personIds);
    const rows = this.rows(database).map((row) => {
      const [byThem, onThem] = [erased.has(row.actorId), erased.has(row.subjectId)];
      const theirs = byThem || (row.actor === 'anonymous' && onThem);
      return {
        ...row,
        ...(theirs ? { address: '', userAgent: '' } : {}),
        ...(byThem ? { actor: '' } : {}),
        ...(onThem ? { subject: '' } : {}),
      };
    });
    this.databases.set(database, rows);
    return Promise.resolve();
  }

  dropAuditTable(database: string): Promise<void> {
    this.databases.delete(database);
    return Promise.resolve();
  }

  truncateAudit(database: string, position: string): Promise<void> {
    const kept = this.rows(database).filter((row) => BigInt(row.position) <= BigInt(position));
    this.databases.set(database, kept);
    return Promise.resolve();
  }

  private createdNames(database: string): ReadonlyMap<string, string> {
    return new Map(
      this.rows(database)
        .filter(({ type, outcome }) => type === 'StreamCreated' && outcome === 'done')
        .map(({ stream, data }) => [stream, (JSON.parse(data) as { name: string }).name]),
    );
  }

  private rows(database: string): AuditRow[] {
    const rows = this.databases.get(database);
    if (!rows)
      throw new WarehouseError(60, 'UNKNOWN_TABLE', `there is no table _audit in ${database}`);
    return rows;
  }

  private inOrder(database: string): AuditRow[] {
    const order = ({ position: a }: AuditRow, { position: b }: AuditRow): number =>
      Number(BigInt(a) - BigInt(b));
    return this.rows(database).toSorted(order);
  }
}

function isWanted(
  row: AuditRow,
  { type, actor, outcome, hash, start, end }: Omit<AuditFilter, 'offset' | 'limit'>,
): boolean {
  const micros = Date.parse(row.occurredAt) * 1000;
  return (
    (type === undefined || row.type === type) &&
    (actor === undefined || row.actor === actor || row.actorId === actor) &&
    (outcome === undefined || row.outcome === outcome) &&
    (hash === undefined || row.hash === hash) &&
    (start === undefined || micros >= start) &&
    (end === undefined || micros < end)
  );
}
