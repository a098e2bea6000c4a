import { Module } from '@nestjs/common';
import { AuditController } from './http/audit.controller.js';
import { AuditResolver } from './http/audit.resolver.js';

/** Needs from the app: AuditTables. */
@Module({ controllers: [AuditController], providers: [AuditResolver] })
export class AuditModule {}
