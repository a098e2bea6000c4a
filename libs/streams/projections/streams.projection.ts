import { Injectable } from '@nestjs/common';
import type { Projection, RecordedEvent } from '@app/event-store';
import type { Column } from '@app/warehouse';
import {
  streamAggregate,
  type StreamEvent,
  type StreamState,
} from '../aggregates/stream.aggregate.js';

export interface StreamDescription {
  readonly id: string;
  readonly organizationId: string;
  readonly database: string;
  readonly name: string;
  /** Without `_timestamp`. */
  readonly columns: readonly Column[];
  readonly version: number;
}

/** The catalog: which streams there are, by organization and name, with their columns. */
@Injectable()
export class StreamsProjection implements Projection {
  readonly name = 'streams';
  private readonly states = new Map<string, StreamState>();
  private readonly organizations = new Map<string, Map<string, StreamDescription>>();
  private readonly descriptions = new Map<string, StreamDescription>();

  apply(event: RecordedEvent): void {
    if (!event.stream.startsWith('stream-')) return;
    const state = streamAggregate.evolve(
      this.states.get(event.stream) ?? streamAggregate.initialState,
      event as unknown as StreamEvent,
    );
    this.states.set(event.stream, state);
    if (!state.stream) return;
    const description = { ...state.stream, columns: state.columns, version: state.version };
    const ofOrganization =
      this.organizations.get(description.organizationId) ?? new Map<string, StreamDescription>();
    ofOrganization.set(description.name, description);
    this.organizations.set(description.organizationId, ofOrganization);
    this.descriptions.set(description.id, description);
  }

  find(organizationId: string, name: string): StreamDescription | undefined {
    return this.organizations.get(organizationId)?.get(name);
  }

  byId(id: string): StreamDescription | undefined {
    return this.descriptions.get(id);
  }

  /** By name. */
  list(organizationId: string): readonly StreamDescription[] {
    const streams = [...(this.organizations.get(organizationId)?.values() ?? [])];
    return streams.sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}
