import type { EventFields, ReservationEvent } from '@app/event-store';
import { z } from 'zod';
import type { GivenType } from './aggregates/given/given-type.js';
import type { StreamEvent } from './aggregates/stream.aggregate.js';

const text = z.string();
const holder = { holder: text };
const columns = z.array(z.object({ name: text, type: text }));
const settings = z.object({
  dataRetention: z.number().exactOptional(),
  fullTextSearchKeys: z.array(text).exactOptional(),
  partitionKeys: z.array(text).exactOptional(),
});
const verbatim = z.array(z.object({ name: text, of: z.enum(['scalars', 'arrays']) }));
const objects = z.array(
  z.object({
    name: text,
    paths: z.array(z.object({ path: text, kinds: z.array(text) })),
    limit: z.enum(['crowded', 'untold']).exactOptional(),
  }),
);

const givenType: z.ZodType<GivenType> = z.lazy(() =>
  z.union([
    text,
    z.object({ list: givenType }),
    z.object({ map: z.tuple([text, givenType]) }),
    z.object({ struct: z.array(z.object({ name: text, type: givenType })) }),
  ]),
);
const given = z.array(z.object({ name: text, type: givenType.exactOptional() }));

/** The fields of the events of streams, as they are written today. */
export const STREAM_EVENTS: EventFields<StreamEvent | ReservationEvent<'StreamName'>> = {
  StreamCreated: {
    id: text,
    organizationId: text,
    database: text,
    name: text,
    columns: columns.exactOptional(),
    exact: z.array(text).exactOptional(),
    verbatim: verbatim.exactOptional(),
    untyped: z.array(text).exactOptional(),
    objects: objects.exactOptional(),
    given: given.exactOptional(),
    settings: settings.exactOptional(),
  },
  StreamSchemaEvolved: {
    id: text,
    added: columns,
    widened: columns,
    exact: z.array(text).exactOptional(),
    verbatim: verbatim.exactOptional(),
    untyped: z.array(text).exactOptional(),
    withdrawn: z.array(text).exactOptional(),
    objects: objects.exactOptional(),
    given: given.exactOptional(),
    version: z.int(),
  },
  StreamSettingsChanged: { id: text, settings },
  StreamDeleted: { id: text },
  StreamNameReserved: holder,
  StreamNameReleased: holder,
};
