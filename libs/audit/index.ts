export { AuditDirectory } from './audit-directory.js';
export { AuditModule } from './audit.module.js';
export { AuditTrailProjection } from './audit-trail.projection.js';
export { EndedTrailsProjection } from './ended-trails.projection.js';
export { FollowLeaderProjection } from './follow-leader.projection.js';
export { AuditVerifier } from './audit-verifier.js';
export { RefusalRecorder } from './record-refusals.js';
export { verifyAudit, type AuditVerdict } from './verify-audit.js';
export { measureLeadership } from './leadership-metrics.js';
export { TrailLeaderElection, type LeaderRank } from './trail-leader-election.js';
export { actorOf, clientOwner } from './audit-entry.js';
export { CHAIN_START, type ChainKey } from './hash-chain.js';
export { openReconciliation, refuseLostTime } from './lost-time.js';
export {
  type LostEntry,
  RECONCILER,
  RECONCILIATION,
  type ReconciledOrganization,
  type ReconciliationEvent,
} from './reconciliation-events.js';
export { TrailHeads, type TrailHead } from './trail-heads.js';
export { AUDIT_EVENTS } from './audit-event-fields.js';
