import type { EventFields } from '@app/event-store';
import { z } from 'zod';
import { RECONCILIATION_EVENTS, type ReconciliationEvent } from './reconciliation-events.js';
import type { CommandRefused } from './record-refusals.js';

/** The fields of the audit trail's own events, as they are written today. */
export const AUDIT_EVENTS: EventFields<CommandRefused | ReconciliationEvent> = {
  ...RECONCILIATION_EVENTS,
  CommandRefused: {
    method: z.string(),
    route: z.string().exactOptional(),
    reason: z.string(),
    unrecorded: z.int().exactOptional(),
  },
};
