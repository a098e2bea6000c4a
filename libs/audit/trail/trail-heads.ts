import type { RecordedEvent } from '@app/event-store';
import type { AuditDirectory } from '../audit-directory.js';
import { audited, organizationOfEntry } from '../audit-entry.js';
import { CHAIN_START, chainHash, type ChainKey } from '../chain/hash-chain.js';
import { StreamOwners } from '../stream-owners.js';

/** The last position and hash that a trail must have. */
export interface TrailHead {
  readonly entries: number;
  /** The hash of the last entry. */
  readonly hash: string;
}

const NOTHING: TrailHead = { entries: 0, hash: CHAIN_START };

/** Tells where each trail must stand, by its database, after the events that were given. */
export class TrailHeads {
  private readonly heads = new Map<string, TrailHead>();
  private readonly owners = new StreamOwners();

  constructor(
    private readonly directory: AuditDirectory,
    private readonly key: ChainKey,
  ) {}

  /** @param event that the directory knows already */
  add(event: RecordedEvent): void {
    const entry = audited(event);
    const database = entry && this.directory.database(organizationOfEntry(entry, this.owners.of));
    this.owners.note(event);
    if (!entry || database === undefined) return;
    const { entries, hash } = this.of(database);
    const next = chainHash(this.key(entry.position), hash, entry);
    this.heads.set(database, { entries: entries + 1, hash: next });
  }

  of(database: string): TrailHead {
    return this.heads.get(database) ?? NOTHING;
  }
}
