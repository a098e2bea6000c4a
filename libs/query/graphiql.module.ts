import { Module } from '@nestjs/common';
import { GraphiqlController } from './http/graphiql.controller.js';

/** GraphiQL at `/graphiql`. */
@Module({ controllers: [GraphiqlController] })
export class GraphiqlModule {}
