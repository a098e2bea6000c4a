import type { Column } from '@app/warehouse';
import type { SchemaKeeper } from '../../libs/acceptance/records/accept-records.js';
import { refusedFields } from '../../libs/streams/aggregates/stream-schema.js';
import {
  streamAggregate,
  type StreamState,
} from '../../libs/streams/aggregates/stream.aggregate.js';

const STREAM = { id: 's', organizationId: 'o', database: 'd', name: 'n' };

/** The real aggregate, without an event store. */
export class PureKeeper implements SchemaKeeper {
  state: StreamState = streamAggregate.evolve(streamAggregate.initialState, {
    type: 'StreamCreated',
    data: STREAM,
  });

  current = () => {
    return { ...STREAM, ...this.state };
  };

  /** Declares columns as `columns` in the settings does. */
  declare(declared: readonly Column[]): this {
    const events = streamAggregate.decide(this.state, {
      type: 'change-settings',
      change: {},
      declared,
    });
    this.state = events.reduce(streamAggregate.evolve, this.state);
    return this;
  }

  evolve: SchemaKeeper['evolve'] = (survey) => {
    const events = streamAggregate.decide(this.state, { type: 'evolve', survey });
    this.state = events.reduce(streamAggregate.evolve, this.state);
    return Promise.resolve({
      schema: this.current(),
      refusedFields: refusedFields(this.state.columns, survey),
    });
  };
}
