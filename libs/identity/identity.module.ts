import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { AuthGuard } from './auth/auth.guard.js';
import { BasicStrategy } from './auth/basic.strategy.js';
import { VerifiedCredentials } from './auth/verified-credentials.js';
import { EnsureRootHandler } from './commands/ensure-root.command.js';
import { OrganizationsController } from './http/organizations.controller.js';

/** Needs from the app: CommandPipeline, UsersProjection, OrganizationsProjection. */
@Module({
  imports: [CqrsModule],
  controllers: [OrganizationsController],
  providers: [
    BasicStrategy,
    VerifiedCredentials,
    EnsureRootHandler,
    { provide: APP_GUARD, useClass: AuthGuard },
  ],
})
export class IdentityModule {}
