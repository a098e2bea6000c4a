import type { EventFields } from '@app/event-store';
import { z } from 'zod';

/** The event stream of all reconciliations of an installation. */
export const RECONCILIATION = 'reconciliation';
export const OF_LOST_TIME = 'EntryOfLostTime';
/** The maker of the events of a reconciliation, as the trail names it. */
export const RECONCILER = 'reconcile';

/**
 * What an installation says when its events were restored from an older copy than other things of
 * it, or the other way round, and both are brought together.
 */
export type ReconciliationEvent =
  | {
      readonly type: 'ReconciliationBegun';
      /** Of the last event that there was: what the trails have after it is of a lost time. */
      readonly data: { readonly upTo: string };
    }
  | { readonly type: 'EntryOfLostTime'; readonly data: LostEntry }
  | { readonly type: 'OrganizationReconciled'; readonly data: ReconciledOrganization }
  | { readonly type: 'ReconciliationEnded'; readonly data: { readonly organizations: number } };

/** An entry of a trail whose event is lost, as it stood there, without names and addresses in clear. */
export interface LostEntry {
  readonly position: string;
  readonly occurredAt: string;
  readonly type: string;
  readonly outcome: string;
  /** As in the metadata of an event; empty: it was erased, or nobody's. */
  readonly actor: string;
  readonly subjectId: string;
  /** Where the request came from, sealed for whom it tells of. */
  readonly client?: string;
  readonly requestId: string;
  /** The event stream. */
  readonly stream: string;
  /** JSON. */
  readonly data: string;
  readonly previousHash: string;
  readonly hash: string;
}

export interface ReconciledOrganization {
  readonly organizationId: string;
  readonly mode: 'adopt' | 'drop';
  /** Entries of the lost time, which are kept. */
  readonly entriesKept: number;
  /** When the first and the last of them happened; ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  /** Of the last of them: what somebody may have noted. */
  readonly lastHash?: string;
  /** Whether they went on from the last entry that has an event, each from the one before. */
  readonly isChained?: boolean;
  /** Entries that the events tell of and the trail did not have: they are written again. */
  readonly entriesMissing: number;
  /** Names of streams that only had a table, and are streams again. */
  readonly adopted: readonly string[];
  /** Streams whose columns and settings are those of their table now. */
  readonly changed: readonly string[];
  /** Streams that only had a table, which is dropped. */
  readonly dropped: readonly string[];
  /** Streams without a table, which have an empty one again. */
  readonly emptied: readonly string[];
  /** Streams without a table, which are deleted. */
  readonly deleted: readonly string[];
}

const text = z.string();
const names = z.array(text);

export const RECONCILIATION_EVENTS: EventFields<ReconciliationEvent> = {
  ReconciliationBegun: { upTo: text.regex(/^\d+$/) },
  EntryOfLostTime: {
    position: text.regex(/^\d+$/),
    occurredAt: text,
    type: text,
    outcome: text,
    actor: text,
    subjectId: text,
    client: text.exactOptional(),
    requestId: text,
    stream: text,
    data: text,
    previousHash: text,
    hash: text,
  },
  OrganizationReconciled: {
    organizationId: text,
    mode: z.enum(['adopt', 'drop']),
    entriesKept: z.int(),
    from: text.exactOptional(),
    to: text.exactOptional(),
    lastHash: text.exactOptional(),
    isChained: z.boolean().exactOptional(),
    entriesMissing: z.int(),
    adopted: names,
    changed: names,
    dropped: names,
    emptied: names,
    deleted: names,
  },
  ReconciliationEnded: { organizations: z.int() },
};
