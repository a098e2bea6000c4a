import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandPipeline, type CommandContext } from '@app/event-store';
import { MillraceError } from '@app/platform';
import { streamAggregate, type Survey } from '../aggregates/stream.aggregate.js';
import { StreamsProjection, type StreamDescription } from '../projections/streams.projection.js';

/** Adds and widens columns so that what was surveyed fits as far as it can. */
export class EvolveStreamSchema {
  constructor(
    readonly streamId: string,
    readonly survey: Survey,
    readonly context: CommandContext,
  ) {}
}

@CommandHandler(EvolveStreamSchema)
export class EvolveStreamSchemaHandler implements ICommandHandler<
  EvolveStreamSchema,
  StreamDescription
> {
  constructor(
    private readonly pipeline: CommandPipeline,
    private readonly streams: StreamsProjection,
  ) {}

  async execute({ streamId, survey, context }: EvolveStreamSchema): Promise<StreamDescription> {
    await this.pipeline.handle({
      decider: streamAggregate,
      stream: `stream-${streamId}`,
      command: { type: 'evolve', survey },
      context,
    });
    const stream = this.streams.byId(streamId);
    if (!stream)
      throw new MillraceError('STREAM_NOT_FOUND', 'the stream was deleted during the upload');
    return stream;
  }
}
