import { Module } from '@nestjs/common';
import { GraphiqlController } from './http/graphiql.controller.js';

/** The page to try GraphQL with, for people who log in. Stands at the root. */
@Module({ controllers: [GraphiqlController] })
export class GraphiqlModule {}
