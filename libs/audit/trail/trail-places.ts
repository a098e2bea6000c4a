import { organizationOfLane, stepsOf, type RecordedEvent } from '@app/event-store';
import type { AuditDirectory } from '../audit-directory.js';
import { audited, organizationOfEntry } from '../audit-entry.js';
import { StreamOwners } from '../stream-owners.js';

/** An event as it was stored, and the database in whose trail it is. */
export interface TrailEntry {
  readonly database: string;
  readonly entry: RecordedEvent;
}

/** The lane of what is done in all trails. */
export const ALL_TRAILS = '';

export const databaseOf = ({ data }: RecordedEvent): string =>
  (data as { readonly database: string }).database;

/**
 * Finds the trail of an event. For an event with lanes it is the one that was found for them: when its
 * turn comes, the directory may know later events.
 */
export class TrailPlaces {
  /** The position of the last event that was read of each trail, since events are live. */
  private readonly read = new Map<string, bigint>();
  private readonly found = new WeakMap<RecordedEvent, TrailEntry | undefined>();
  /** The catalog may not have these streams yet. */
  private readonly owners = new StreamOwners();

  constructor(private readonly directory: AuditDirectory) {}

  of(event: RecordedEvent): TrailEntry | undefined {
    return this.found.has(event) ? this.found.get(event) : this.find(event);
  }

  /** The lanes are the trails' databases: entries of one trail are in the order of their events. */
  lanes(event: RecordedEvent): readonly string[] {
    const lanes = new Set<string>();
    for (const step of stepsOf(event)) {
      const trail = this.find(step);
      this.owners.note(step);
      this.found.set(step, trail);
      if (trail) {
        lanes.add(trail.database);
        this.read.set(trail.database, step.position);
      }
      // This is no entry alone: names are taken out of all trails.
      if (step.type === 'UserErased') lanes.add(ALL_TRAILS);
    }
    return [...lanes];
  }

  /** Does something with the position of a trail's last event, where one has come since the start. */
  async afterRead(database: string, work: (last: bigint) => Promise<void>): Promise<void> {
    const last = this.read.get(database);
    if (last !== undefined) await work(last);
  }

  /** The trail of what is asked in a lane of organizations; undefined where it has ended, or is not there yet. */
  ofLane(lane: string): string | undefined {
    return this.directory.database(organizationOfLane(lane));
  }

  private find(event: RecordedEvent): TrailEntry | undefined {
    const entry = audited(event);
    if (!entry) return undefined;
    const ofStream = (stream: string): string | undefined =>
      this.owners.of(stream) ?? this.directory.organizationOfStream(stream);
    const database = this.directory.database(organizationOfEntry(entry, ofStream));
    return database === undefined ? undefined : { database, entry };
  }
}
