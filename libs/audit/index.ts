export { AuditDirectory } from './audit-directory.js';
export { AuditModule } from './audit.module.js';
export { AuditTrailProjection } from './audit-trail.projection.js';
export { EndedTrailsProjection } from './ended-trails.projection.js';
export { FollowLeadProjection } from './follow-lead.projection.js';
export { RefusalRecorder } from './record-refusals.js';
export { verifyAudit, type AuditVerdict } from './verify-audit.js';
export { measureLead } from './lead-metrics.js';
export { TrailLead, type LeadRank } from './trail-lead.js';
