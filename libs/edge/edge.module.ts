import { Module } from '@nestjs/common';
import { KvController } from './http/key-value-stores.controller.js';
import { RegistrationController } from './http/registration.controller.js';

/** Registration of tables, and key-value stores. Needs from the app: Registrations, KeyValueStores, and the path its routes stand below. */
@Module({ controllers: [RegistrationController, KvController] })
export class EdgeModule {}
