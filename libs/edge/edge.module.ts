import { Module } from '@nestjs/common';
import { RegistrationController } from './http/registration.controller.js';

/** Registration of tables. Needs from the app: Registrations, and the path its routes stand below. */
@Module({ controllers: [RegistrationController] })
export class EdgeModule {}
