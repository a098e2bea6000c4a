import type { EventFields } from '@app/event-store';
import { z } from 'zod';

/** All reconciliations of an installation are in this event stream. */
export const RECONCILIATION = 'reconciliation';
export const OF_LOST_TIME = 'EntryOfLostTime';
/** The trail names this actor for the events of a reconciliation. */
export const RECONCILER = 'reconcile';

/**
 * These events are written when the events of an installation were restored from an older copy than
 * its tables, or the other way round, and `millrace reconcile` brings both together.
 */
export type ReconciliationEvent =
  | {
      readonly type: 'ReconciliationBegun';
      /**
       * The position of the last event before the reconciliation. Later entries of the trails
       * belong to a lost time.
       */
      readonly data: { readonly upTo: string };
    }
  | { readonly type: 'EntryOfLostTime'; readonly data: LostEntry }
  | { readonly type: 'OrganizationReconciled'; readonly data: ReconciledOrganization }
  | { readonly type: 'ReconciliationEnded'; readonly data: { readonly organizations: number } };

/** This is an entry of a trail whose event is lost. It holds no name and no address in clear. */
export interface LostEntry {
  readonly position: string;
  readonly occurredAt: string;
  readonly type: string;
  readonly outcome: string;
  /** The actor, as in the metadata of an event; empty if erased or unknown. */
  readonly actor: string;
  readonly subjectId: string;
  /** It says where the request came from, sealed with the key of the person it is about. */
  readonly client?: string;
  readonly requestId: string;
  /** The name of the event stream. */
  readonly stream: string;
  /** The data of the event, as JSON text. */
  readonly data: string;
  readonly previousHash: string;
  readonly hash: string;
}

export interface ReconciledOrganization {
  readonly organizationId: string;
  readonly mode: 'adopt' | 'drop';
  /** The number of entries of the lost time. They are kept. */
  readonly entriesKept: number;
  /** The times of the first and the last of them, in ISO 8601. */
  readonly from?: string;
  readonly to?: string;
  /** The hash of the last of them. Somebody may have noted it. */
  readonly lastHash?: string;
  /**
   * True if each continues the hash chain from the one before, and the first from the last entry
   * with an event.
   */
  readonly isChained?: boolean;
  /**
   * The number of entries that the trail lacked although the events are there. They are written
   * again.
   */
  readonly entriesMissing: number;
  /** The names of streams that had only a table. They are streams again. */
  readonly adopted: readonly string[];
  /** The names of streams that took the columns and settings of their table. */
  readonly changed: readonly string[];
  /** The names of streams that had only a table. The table is dropped. */
  readonly dropped: readonly string[];
  /** The names of streams that had no table. They have an empty one again. */
  readonly emptied: readonly string[];
  /** The names of streams that had no table. They are deleted. */
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
