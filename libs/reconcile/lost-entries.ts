import { CHAIN_START, type TrailHead } from '@app/audit';
import type { AuditRow, AuditTables } from '@app/warehouse';

/** Sums up the entries that a trail has of a time whose events are lost. */
export interface LostEntries {
  readonly count: number;
  /** The times of the first and the last, in ISO 8601. They are undefined if there is no entry. */
  readonly from?: string;
  readonly to?: string;
  readonly lastHash?: string;
  /**
   * True if each continues the hash chain from the one before, and the first from the last entry
   * with an event.
   */
  readonly isChained: boolean;
  /** If the events do not know the organization, its own trail tells its id and its name. */
  readonly founded?: { readonly id: string; readonly name: string };
  /** The event streams of streams whose columns or settings were changed in that time. */
  readonly changedStreams: ReadonlySet<string>;
  /** The event streams of streams that were deleted in that time. */
  readonly deletedStreams: ReadonlySet<string>;
  /** The ids of organizations that were deleted in that time. */
  readonly deletedOrganizations: ReadonlySet<string>;
  /** The ids of people who were erased in that time. */
  readonly erased: ReadonlySet<string>;
  /**
   * The number of events that took rights away and are lost, by their type. Those rights are back.
   */
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

/** Reads the rows of a trail after a position, the oldest first. */
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

/** @param head the end that the trail has according to the events */
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

/** Reads the fields of an entry's data that are texts. The data may be any text. */
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
