import { Module } from '@nestjs/common';
import { AuditController } from './http/audit.controller.js';

/** Needs from the app: AuditTables. */
@Module({ controllers: [AuditController] })
export class AuditModule {}
