import type { AuditFilter, AuditRow, AuditTables } from '@app/warehouse';

/** Tables to test, in databases that no other test uses. */
interface AuditTablesUnderTest {
  readonly tables: AuditTables;
  /** A name for a database, another each time. */
  database(): string;
  /** A change takes so long that others can see it. */
  readonly changesLast: boolean;
  dispose(): Promise<void>;
}

const ANN = { actor: 'ann@example.com', actorId: 'ANN' };

export function auditRow(position: bigint | number, more: Partial<AuditRow> = {}): AuditRow {
  return {
    position: String(position),
    occurredAt: '2026-11-21T09:30:00.123000Z',
    type: 'UserRoleChanged',
    outcome: 'done',
    actor: 'system',
    actorId: '',
    subject: '',
    subjectId: '',
    address: '203.0.113.7',
    userAgent: 'curl/8.5.0',
    requestId: 'r-1',
    stream: 'organization-O',
    data: '{"role":"admin"}',
    previousHash: 'a'.repeat(64),
    hash: 'b'.repeat(64),
    ...more,
  };
}

export function auditTablesContract(name: string, open: () => Promise<AuditTablesUnderTest>): void {
  describe(`AuditTables contract: ${name}`, () => {
    let under: AuditTablesUnderTest;
    let tables: AuditTables;
    let database: string;
    beforeAll(async () => {
      under = await open();
      ({ tables } = under);
      await tables.claimAudit();
    });
    afterAll(() => under.dispose());
    beforeEach(async () => {
      database = under.database();
      await tables.createAuditTable(database);
    });
    const all = () => tables.auditAfter(database, '-1', 1000);
    const positions = (rows: readonly AuditRow[]) => rows.map(({ position }) => Number(position));
    const page = async (filter: Partial<AuditFilter>) => {
      const { rows, total } = await tables.auditPage(database, {
        offset: 0,
        limit: 100,
        ...filter,
      });
      return [positions(rows), total];
    };

    it('knows the last position of all trails', async () => {
      const other = under.database();
      await tables.createAuditTable(other);
      const far = 2n ** 62n + BigInt(Date.now());
      await tables.appendAudit(database, [auditRow(7)]);
      await tables.appendAudit(other, [auditRow(far - 1n), auditRow(far)]);
      expect(await tables.lastAuditPosition()).toBe(String(far));
      const each = await tables.lastAuditPositions();
      expect([each.get(database), each.get(other)]).toEqual(['7', String(far)]);
      await tables.truncateAudit(other, '7');
      expect(BigInt((await tables.lastAuditPosition()) ?? 0)).toBeLessThan(far);
    });

    it('has nothing at first, and loses nothing when it is made again', async () => {
      expect([await tables.lastAudit(database), await all()]).toEqual([undefined, []]);
      expect(await page({})).toEqual([[], 0]);
      await tables.appendAudit(database, []);
      await tables.appendAudit(database, [auditRow(1)]);
      await tables.createAuditTable(database);
      expect(await all()).toEqual([auditRow(1)]);
    });

    it('finds entries by outcome, hash and time', async () => {
      const at = (second: number): string => `2026-11-21T09:30:0${second}.250000Z`;
      const hash = 'c'.repeat(64);
      await tables.appendAudit(database, [
        auditRow(1, { occurredAt: at(1) }),
        auditRow(2, { occurredAt: at(2), outcome: 'refused' }),
        auditRow(3, { occurredAt: at(3), outcome: 'failed', hash }),
      ]);
      const micros = (second: number): number => Date.parse(at(second)) * 1000;
      expect(await page({ outcome: 'refused' })).toEqual([[2], 1]);
      expect(await page({ hash })).toEqual([[3], 1]);
      expect(await page({ hash: "' OR 1 = 1 --" })).toEqual([[], 0]);
      expect(await page({ start: micros(2) })).toEqual([[3, 2], 2]);
      expect(await page({ end: micros(2) })).toEqual([[1], 1]);
      expect(await page({ start: micros(2), end: micros(3), outcome: 'done' })).toEqual([[], 0]);
    });

    it('finds what concerns a stream by its name, and knows the names of streams', async () => {
      const created = (position: number, id: string, name: string, more: Partial<AuditRow> = {}) =>
        auditRow(position, {
          type: 'StreamCreated',
          stream: `stream-${id}`,
          data: JSON.stringify({ name }),
          ...more,
        });
      await tables.appendAudit(database, [
        created(1, 'A', 'logs'),
        created(2, 'B', "it's"),
        auditRow(3, { type: 'StreamDeleted', stream: 'stream-A', data: '{}' }),
        created(4, 'C', 'logs'),
        created(5, 'B', 'logs', { outcome: 'not ours' }),
        auditRow(6),
      ]);
      expect(await page({ stream: 'logs' })).toEqual([[4, 3, 1], 3]);
      expect(await page({ stream: "it's" })).toEqual([[5, 2], 2]);
      expect(await page({ stream: 'stream-A' })).toEqual([[3, 1], 2]);
      expect(await page({ stream: "') OR ('' = '" })).toEqual([[], 0]);
      const names = await tables.namesOfStreams(database, ['stream-A', 'stream-B', 'stream-X']);
      expect([...names].sort()).toEqual([
        ['stream-A', 'logs'],
        ['stream-B', "it's"],
      ]);
      expect(await tables.namesOfStreams(database, [])).toEqual(new Map());
    });

    it('gives back every character, and positions that no double can hold', async () => {
      const odd = auditRow(2n ** 53n + 1n, {
        actor: `o'neil\\'@example.com`,
        userAgent: "\\ \\\\ ' '' \" ` \t {x:String} ); DROP TABLE _audit; -- ж 🦉",
        data: JSON.stringify({ text: `it's \\ \u0000 \n \u2028 "q"` }),
        requestId: '{}',
      });
      await tables.appendAudit(database, [auditRow(1), odd]);
      expect(await all()).toEqual([auditRow(1), odd]);
      expect(await tables.lastAudit(database)).toEqual(odd);
      expect(await tables.auditAfter(database, String(2n ** 53n), 10)).toEqual([odd]);
      expect(await tables.auditAfter(database, odd.position, 10)).toEqual([]);
      expect(await page({ actor: odd.actor })).toEqual([[Number(odd.position)], 1]);
    });

    it('gives them oldest first after a position, and newest first in pages', async () => {
      const many = [1, 3, 4, 9, 20].map((position) => auditRow(position));
      await tables.appendAudit(database, many.slice(0, 2));
      await tables.appendAudit(database, many.slice(2));
      expect(positions(await tables.auditAfter(database, '3', 2))).toEqual([4, 9]);
      expect(await page({ offset: 1, limit: 2 })).toEqual([[9, 4], 5]);
      expect(await page({ offset: 5 })).toEqual([[], 5]);
      expect((await tables.lastAudit(database))?.position).toBe('20');
    });

    it('finds entries by type, and by who did it: e-mail or id', async () => {
      await tables.appendAudit(database, [
        auditRow(1, ANN),
        auditRow(2, { ...ANN, type: 'UserRegistered' }),
        auditRow(3),
        auditRow(4, { subject: ANN.actor, subjectId: ANN.actorId }),
      ]);
      expect(await page({ type: 'UserRegistered' })).toEqual([[2], 1]);
      expect(await page({ actor: 'ann@example.com' })).toEqual([[2, 1], 2]);
      expect(await page({ actor: 'ANN', limit: 1 })).toEqual([[2], 2]);
      expect(await page({ actor: 'ANN', type: 'UserRoleChanged' })).toEqual([[1], 1]);
      expect(await page({ actor: `x' OR 1 = 1 --` })).toEqual([[], 0]);
      expect(await page({ type: `x' OR 'a' = 'a` })).toEqual([[], 0]);
    });

    it('tells while somebody changes a table of the database, and of no other', async () => {
      const other = under.database();
      await tables.createAuditTable(other);
      expect(await tables.isChanging(database)).toBe(false);
      if (!under.changesLast) return;
      let isSeen = false;
      for (let position = 1; !isSeen; position += 1) {
        await tables.appendAudit(database, [auditRow(position)]);
        let isOver = false;
        const changing = tables.truncateAudit(database, '0').finally(() => (isOver = true));
        while (!isOver) {
          isSeen ||= await tables.isChanging(database);
          expect(await tables.isChanging(other)).toBe(false);
        }
        await changing;
      }
      expect(await tables.isChanging(database)).toBe(false);
    });

    it('is this process’s to append to, as often as it claims', async () => {
      expect(await tables.holdsAudit()).toBe(true);
      await tables.claimAudit();
      await tables.appendAudit(database, [auditRow(1)]);
      expect([await tables.holdsAudit(), positions(await all())]).toEqual([true, [1]]);
    });

    it('keeps what somebody put there twice, so that it can be seen', async () => {
      await tables.appendAudit(database, [auditRow(1)]);
      await tables.appendAudit(database, [auditRow(1)]);
      expect(await all()).toEqual([auditRow(1), auditRow(1)]);
    });

    it('blanks who was erased, as actor and as subject, and nobody else', async () => {
      const ben = { actor: 'ben@example.com', actorId: 'BEN' };
      await tables.appendAudit(database, [
        auditRow(1, ANN),
        auditRow(2, { ...ben, subject: ANN.actor, subjectId: ANN.actorId }),
        auditRow(3, { ...ben, subject: 'cleo@example.com', subjectId: 'CLEO' }),
        auditRow(4, { actor: 'anonymous', subject: ANN.actor, subjectId: ANN.actorId }),
        auditRow(5, { actor: 'anonymous' }),
      ]);
      await tables.eraseFromAudit(database, []);
      const gone = { address: '', userAgent: '' };
      const expected = [
        auditRow(1, { actor: '', actorId: 'ANN', ...gone }),
        auditRow(2, { ...ben, subjectId: 'ANN' }),
        auditRow(3, { ...ben, subject: 'cleo@example.com', subjectId: 'CLEO' }),
        auditRow(4, { actor: 'anonymous', subjectId: 'ANN', ...gone }),
        auditRow(5, { actor: 'anonymous' }),
      ];
      for (let time = 0; time < 2; time += 1) {
        await tables.eraseFromAudit(database, ['NOBODY', `'`, 'ANN']);
        expect(await all()).toEqual(expected);
      }
    });

    it('forgets what is after a position, and takes it again', async () => {
      const many = [1, 2, 3].map((position) => auditRow(position));
      await tables.appendAudit(database, many);
      await tables.truncateAudit(database, '1');
      expect(positions(await all())).toEqual([1]);
      await tables.appendAudit(database, many.slice(1));
      expect(await all()).toEqual(many);
      await tables.truncateAudit(database, '0');
      expect(await all()).toEqual([]);
    });

    it('keeps organizations apart', async () => {
      const other = under.database();
      await tables.createAuditTable(other);
      await tables.appendAudit(database, [auditRow(1, ANN)]);
      await tables.appendAudit(other, [auditRow(2, ANN)]);
      await tables.eraseFromAudit(other, ['ANN']);
      await tables.truncateAudit(other, '0');
      expect([await all(), await tables.auditAfter(other, '-1', 9)]).toEqual([
        [auditRow(1, ANN)],
        [],
      ]);
    });
  });
}
