import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ChangeStreamSettingsHandler } from './commands/change-stream-settings.command.js';
import { DeleteStreamHandler } from './commands/delete-stream.command.js';
import { EnsureStreamHandler } from './commands/ensure-stream.command.js';
import { EvolveStreamSchemaHandler } from './commands/evolve-stream-schema.command.js';
import { StreamRoom } from './commands/stream-room.js';
import { StreamRecords } from './http/stream-records.js';
import { StreamsController } from './http/streams.controller.js';
import { StreamsResolver } from './http/streams.resolver.js';
import { SummaryController } from './http/summary.controller.js';

/** Needs from the app: CommandPipeline, StreamsProjection, StreamStatistics, DamagedTables, MemberCount, STREAM_BOUNDS. */
@Module({
  imports: [CqrsModule],
  controllers: [SummaryController, StreamsController],
  providers: [
    StreamRecords,
    StreamsResolver,
    ChangeStreamSettingsHandler,
    DeleteStreamHandler,
    EnsureStreamHandler,
    EvolveStreamSchemaHandler,
    StreamRoom,
  ],
  exports: [StreamRoom],
})
export class StreamsModule {}
