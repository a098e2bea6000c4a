import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandPipeline, type CommandContext } from '@app/event-store';
import { MillraceError } from '@app/platform';
import type { Survey } from '../aggregates/stream-schema.js';
import { streamAggregate } from '../aggregates/stream.aggregate.js';
import { StreamsProjection, type StreamDescription } from '../projections/streams.projection.js';

/** Adds and widens columns so that the surveyed records fit as far as they can. */
export class EvolveStreamSchema {
  constructor(
    readonly streamId: string,
    readonly survey: Survey,
    readonly context: CommandContext,
    /** Columns that were marked to keep their type, and need not any more. */
    readonly released: readonly string[] = [],
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

  /** @throws {MillraceError} CONFLICT if the stream was deleted */
  async execute({
    streamId,
    survey,
    context,
    released,
  }: EvolveStreamSchema): Promise<StreamDescription> {
    try {
      await this.pipeline.handle({
        decider: streamAggregate,
        stream: `stream-${streamId}`,
        command: { type: 'evolve', survey, released },
        context,
      });
    } catch (error) {
      if (error instanceof MillraceError && error.kind === 'STREAM_NOT_FOUND') throw deleted();
      throw error;
    }
    const stream = this.streams.byId(streamId);
    if (!stream) throw deleted();
    return stream;
  }
}

const deleted = (): MillraceError =>
  new MillraceError(
    'CONFLICT',
    'the stream was deleted during the upload; nothing of it was stored; send it again',
  );
