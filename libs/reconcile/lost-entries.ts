import { CHAIN_START, type TrailHead } from '@app/audit';
import type { AuditRow, AuditTables } from '@app/warehouse';

/** Tells in short what a trail has of a time whose events are lost. */
export interface LostEntries {
  readonly count: number;
  /** When the first and the last happened; ISO 8601. Undefined: there are none. */
  readonly from?: string;
  readonly to?: string;
  readonly lastHash?: string;
  /** Whether they go on from the last entry that has an event, each from the one before. */
  readonly isChained: boolean;
  /** By its own trail: what an organization is that the events do not know. */
  readonly founded?: { readonly id: string; readonly name: string };
  /** Event streams of streams whose columns or settings were changed in that time. */
  readonly changedStreams: ReadonlySet<string>;
  /** Event streams of streams that were deleted in that time. */
  readonly deletedStreams: ReadonlySet<string>;
  /** Ids of organizations that were deleted in that time. */
  readonly deletedOrganizations: ReadonlySet<string>;
  /** Ids of people who were erased in that time. */
  readonly erased: ReadonlySet<string>;
  /** How often what took somebody's rights away, which holds no more: by type of event. */
  readonly withdrawn: ReadonlyMap<string, number>;
}

const PAGE = 5000;
const CHANGES = new Set(['StreamSchemaEvolved', 'StreamSettingsChanged']);
const WITHDRAWALS = new Set([
  'PasscodeRotated',
  'PasswordChanged',
  'SessionEnded',
  'TokenRevoked',
  'UserRemovedFromOrganization',
  'UserRoleChanged',
]);

/** The rows of a trail after a position, oldest first. */
export async function* rowsAfter(
  tables: Pick<AuditTables, 'auditAfter'>,
  database: string,
  position: bigint,
): AsyncIterable<AuditRow> {
  let last = String(position);
  for (;;) {
    const page = await tables.auditAfter(database, last, PAGE);
    yield* page;
    const end = page.at(-1);
    if (!end) return;
    last = end.position;
  }
}

/** @param head where the trail stands by the events */
export async function lostEntries(
  rows: AsyncIterable<AuditRow>,
  head: TrailHead | undefined,
): Promise<LostEntries> {
  let [count, previous, isChained] = [0, head?.hash ?? CHAIN_START, true];
  let [first, last]: [AuditRow | undefined, AuditRow | undefined] = [undefined, undefined];
  let founded: LostEntries['founded'];
  const [changedStreams, deletedStreams] = [new Set<string>(), new Set<string>()];
  const [deletedOrganizations, erased] = [new Set<string>(), new Set<string>()];
  const withdrawn = new Map<string, number>();
  for await (const row of rows) {
    count += 1;
    isChained &&= row.previousHash === previous;
    previous = row.hash;
    first ??= row;
    last = row;
    const { type, stream, outcome, subjectId } = row;
    if (outcome !== 'done') continue;
    if (CHANGES.has(type)) changedStreams.add(stream);
    if (type === 'StreamDeleted') deletedStreams.add(stream);
    if (type === 'UserErased') erased.add(subjectId);
    if (WITHDRAWALS.has(type)) withdrawn.set(type, (withdrawn.get(type) ?? 0) + 1);
    const { id, name, organizationId } = fieldsOf(row);
    if (type === 'OrganizationDeleted' && organizationId !== undefined)
      deletedOrganizations.add(organizationId);
    if (type === 'OrganizationCreated' && id !== undefined && name !== undefined)
      founded ??= { id, name };
  }
  return {
    count,
    ...(first && last ? { from: first.occurredAt, to: last.occurredAt, lastHash: last.hash } : {}),
    isChained,
    ...(founded ? { founded } : {}),
    changedStreams,
    deletedStreams,
    deletedOrganizations,
    erased,
    withdrawn,
  };
}

/** Fields of what an entry tells, whoever has written it. */
function fieldsOf({ data }: AuditRow): Partial<Record<'id' | 'name' | 'organizationId', string>> {
  let told: unknown;
  try {
    told = JSON.parse(data);
  } catch {
    return {};
  }
  if (typeof told !== 'object' || told === null) return {};
  return Object.fromEntries(Object.entries(told).filter(([, value]) => typeof value === 'string'));
}
