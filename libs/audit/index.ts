export { AuditDirectory } from './audit-directory.js';
export { AuditModule } from './audit.module.js';
export { AuditTrailProjection } from './trail/audit-trail.projection.js';
export { EndedTrailsProjection } from './trail/ended-trails.projection.js';
export { FollowLeaderProjection } from './trail/follow-leader.projection.js';
export { AuditVerifier } from './chain/audit-verifier.js';
export { RefusalRecorder } from './record-refusals.js';
export { verifyAudit, type AuditVerdict } from './chain/verify-audit.js';
export { measureLeadership } from './trail/leadership-metrics.js';
export { TrailLeaderElection, type LeaderRank } from './trail/trail-leader-election.js';
export { actorOf, clientOwner } from './audit-entry.js';
export { CHAIN_START, type ChainKey } from './chain/hash-chain.js';
export { openReconciliation, refuseLostTime } from './lost-time.js';
export { refuseOlderWarehouse } from './older-warehouse.js';
export {
  type LostEntry,
  RECONCILER,
  RECONCILIATION,
  type ReconciledOrganization,
  type ReconciliationEvent,
} from './reconciliation-events.js';
export { TrailHeads, type TrailHead } from './trail/trail-heads.js';
export { AUDIT_EVENTS } from './audit-event-fields.js';
