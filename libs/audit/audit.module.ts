import { Module } from '@nestjs/common';
import { AuditPages } from './audit-pages.js';
import { AuditController } from './http/audit.controller.js';
import { AuditResolver } from './http/audit.resolver.js';

/** Needs from the app: AuditTables, AuditVerifier, Projector. */
@Module({ controllers: [AuditController], providers: [AuditPages, AuditResolver] })
export class AuditModule {}
