import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandPipeline, type CommandContext } from '@app/event-store';
import { MillraceError, type RequestOrganization } from '@app/platform';
import { streamAggregate } from '../aggregates/stream.aggregate.js';
import { StreamsProjection } from '../projections/streams.projection.js';
import { streamName, streamNameStream } from './stream-name.js';

/** Deletes a stream with its rows and its rejected records; its name is free afterwards. */
export class DeleteStream {
  constructor(
    readonly organization: RequestOrganization,
    readonly name: string,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(DeleteStream)
export class DeleteStreamHandler implements ICommandHandler<DeleteStream, void> {
  constructor(
    private readonly pipeline: CommandPipeline,
    private readonly streams: StreamsProjection,
  ) {}

  /**
   * When this resolves, the table is dropped, because the answer waits for the projections that do
   * it.
   */
  async execute({ organization, name, context }: DeleteStream): Promise<void> {
    const stream = this.streams.find(organization.id, name);
    if (!stream) throw new MillraceError('STREAM_NOT_FOUND', 'stream not found', { detail: name });
    await this.pipeline.handle({
      decider: streamAggregate,
      stream: `stream-${stream.id}`,
      command: { type: 'delete' },
      context,
    });
    await this.pipeline.handle({
      decider: streamName,
      stream: streamNameStream(organization.id, name),
      command: { type: 'release', holder: stream.id },
      context,
      isReservation: true,
    });
  }
}
