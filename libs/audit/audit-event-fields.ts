import type { EventFields } from '@app/event-store';
import { z } from 'zod';
import type { CommandRefused } from './record-refusals.js';

/** The fields of the audit trail's own events, as they are written today. */
export const AUDIT_EVENTS: EventFields<CommandRefused> = {
  CommandRefused: {
    method: z.string(),
    route: z.string().exactOptional(),
    reason: z.string(),
    unrecorded: z.int().exactOptional(),
  },
};
