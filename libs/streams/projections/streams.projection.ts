import { Injectable } from '@nestjs/common';
import { byOrganization, type RecordedEvent, type SnapshottedProjection } from '@app/event-store';
import { seesStream, type RequestOrganization } from '@app/platform';
import {
  streamAggregate,
  type StreamEvent,
  type StreamState,
} from '../aggregates/stream.aggregate.js';
import type { Schema } from '../aggregates/stream-schema.js';
import type { StreamSettings } from '../aggregates/stream-settings.js';

/**
 * The `exact` columns may hold integers of any size. All others hold no integer that a float would
 * round, except in columns that are older than this rule.
 */
export interface StreamDescription extends Schema {
  readonly id: string;
  readonly organizationId: string;
  readonly database: string;
  readonly name: string;
  readonly settings: StreamSettings;
}

/** The fields of identity's event `OrganizationDeleted` that matter here. */
export interface OrganizationDeletedData {
  readonly organizationId: string;
  readonly database: string;
}

interface StoredStreams {
  readonly streams: readonly StreamDescription[];
  /** The ids of streams, each with that of its organization. */
  readonly deleted: readonly (readonly [string, string])[];
  readonly deletedOrganizations: readonly OrganizationDeletedData[];
}

/** The prefix of the event streams of streams. */
const PREFIX = 'stream-';

/**
 * The catalog: the streams that exist, by organization and name, with their columns and settings.
 */
@Injectable()
export class StreamsProjection implements SnapshottedProjection {
  readonly name = 'streams';
  readonly lanes = byOrganization;
  readonly snapshotVersion = 7;
  private readonly organizations = new Map<string, Map<string, StreamDescription>>();
  private readonly descriptions = new Map<string, StreamDescription>();
  /**
   * Organizations of deleted streams. Ids are never used again, so a batch of one of these has no
   * destination.
   */
  private readonly deleted = new Map<string, string>();
  /** The databases of deleted organizations, by organization. */
  private readonly deletedOrganizations = new Map<string, string>();
  /** The same databases, as a set. */
  private readonly databases = new Set<string>();

  apply(event: RecordedEvent): void {
    if (event.type === 'OrganizationDeleted')
      return this.forgetAll(event.data as OrganizationDeletedData);
    if (!event.stream.startsWith(PREFIX)) return;
    const id = event.stream.slice(PREFIX.length);
    if (this.deleted.has(id)) return;
    const state = streamAggregate.evolve(
      stateOf(this.descriptions.get(id)),
      event as unknown as StreamEvent,
    );
    if (!state.stream) return;
    const { stream, deleted, ...schema } = state;
    const description = { ...stream, ...schema };
    // The command that made the stream did not know yet that its organization is deleted.
    const isOrphan = this.deletedOrganizations.has(stream.organizationId);
    if (deleted || isOrphan) this.forget(description);
    else this.index(description);
  }

  find(organizationId: string, name: string): StreamDescription | undefined {
    return this.organizations.get(organizationId)?.get(name);
  }

  /** Finds the stream as the caller of a request may see it: a token may be for some streams only. */
  findFor(organization: RequestOrganization, name: string): StreamDescription | undefined {
    return seesStream(organization, name) ? this.find(organization.id, name) : undefined;
  }

  byId(id: string): StreamDescription | undefined {
    return this.descriptions.get(id);
  }

  /** The organization of a stream, by the name of its event stream, also when it was deleted. */
  organizationOf(eventStream: string): string | undefined {
    if (!eventStream.startsWith(PREFIX)) return undefined;
    const id = eventStream.slice(PREFIX.length);
    return this.descriptions.get(id)?.organizationId ?? this.deleted.get(id);
  }

  isDeleted(id: string): boolean {
    return this.deleted.has(id);
  }

  isOrganizationDeleted(organizationId: string): boolean {
    return this.deletedOrganizations.has(organizationId);
  }

  /** The databases of deleted organizations. Nothing is written into these any more. */
  get deletedDatabases(): ReadonlySet<string> {
    return this.databases;
  }

  /**
   * Tells whether records for a stream have no destination any more: the stream is deleted, or its
   * organization. Records that were rejected before their stream existed have only the
   * organization.
   */
  isGone(streamId: string, database: string): boolean {
    return this.deleted.has(streamId) || this.databases.has(database);
  }

  /** Counts the organization's streams. */
  count(organizationId: string): number {
    return this.organizations.get(organizationId)?.size ?? 0;
  }

  /** Lists the streams by name. */
  list(organizationId: string): readonly StreamDescription[] {
    const streams = [...(this.organizations.get(organizationId)?.values() ?? [])];
    return streams.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Lists the streams by name that the caller of a request may see. */
  listFor(organization: RequestOrganization): readonly StreamDescription[] {
    return this.list(organization.id).filter(({ name }) => seesStream(organization, name));
  }

  /** The streams of every organization. */
  all(): readonly StreamDescription[] {
    return [...this.descriptions.values()];
  }

  snapshot(): StoredStreams {
    const organizations = [...this.deletedOrganizations];
    return {
      streams: this.all(),
      deleted: [...this.deleted],
      deletedOrganizations: organizations.map(([organizationId, database]) => ({
        organizationId,
        database,
      })),
    };
  }

  restore(state: unknown): void {
    const { streams, deleted, deletedOrganizations } = state as StoredStreams;
    for (const organization of deletedOrganizations) this.forgetAll(organization);
    for (const stream of streams) this.index(stream);
    for (const [id, organizationId] of deleted) this.deleted.set(id, organizationId);
  }

  private index(stream: StreamDescription): void {
    const ofOrganization =
      this.organizations.get(stream.organizationId) ?? new Map<string, StreamDescription>();
    ofOrganization.set(stream.name, stream);
    this.organizations.set(stream.organizationId, ofOrganization);
    this.descriptions.set(stream.id, stream);
  }

  private forgetAll({ organizationId, database }: OrganizationDeletedData): void {
    this.deletedOrganizations.set(organizationId, database);
    this.databases.add(database);
    for (const stream of this.list(organizationId)) this.forget(stream);
    this.organizations.delete(organizationId);
  }

  private forget({ id, organizationId, name }: StreamDescription): void {
    this.deleted.set(id, organizationId);
    this.descriptions.delete(id);
    const ofOrganization = this.organizations.get(organizationId);
    if (ofOrganization?.get(name)?.id === id) ofOrganization.delete(name);
  }
}

function stateOf(description: StreamDescription | undefined): StreamState {
  if (!description) return streamAggregate.initialState;
  const { id, organizationId, database, name, ...schema } = description;
  return { stream: { id, organizationId, database, name }, ...schema, deleted: false };
}
