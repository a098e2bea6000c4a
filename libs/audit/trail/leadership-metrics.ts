import { gauge } from '@app/platform';
import type { TrailLeaderElection } from './trail-leader-election.js';

/** Registers the metrics of leadership. It is called once. */
export function measureLeadership(lead: TrailLeaderElection): void {
  gauge({
    name: 'millrace_lead',
    help: '1 in the process that carries events out (tables, audit trail), as far as it knows: who has lost that finds out by the next event',
    collect: (leads) => leads.set(lead.isLeading ? 1 : 0),
  });
}
