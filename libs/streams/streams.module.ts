import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EnsureStreamHandler } from './commands/ensure-stream.command.js';
import { EvolveStreamSchemaHandler } from './commands/evolve-stream-schema.command.js';
import { StreamsController } from './http/streams.controller.js';

/** Needs from the app: CommandPipeline, EventStore, StreamsProjection, StreamStatistics. */
@Module({
  imports: [CqrsModule],
  controllers: [StreamsController],
  providers: [EnsureStreamHandler, EvolveStreamSchemaHandler],
})
export class StreamsModule {}
