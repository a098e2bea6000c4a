import { createHash } from 'node:crypto';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ulid } from 'ulid';
import { CommandPipeline, reservation, type CommandContext } from '@app/event-store';
import { MillraceError, type RequestOrganization } from '@app/platform';
import { streamNameProblem } from '../aggregates/names.js';
import { streamAggregate } from '../aggregates/stream.aggregate.js';
import { StreamsProjection, type StreamDescription } from '../projections/streams.projection.js';

/** Creates the stream unless the organization has it already. */
export class EnsureStream {
  constructor(
    readonly organization: RequestOrganization,
    readonly name: string,
    readonly context: CommandContext,
  ) {}
}

/**
 * A name belongs to the stream whose id is first in the name's reservation stream. Whoever comes
 * second, or again after a crash in between, goes on with that id, so a name never has two streams.
 */
@CommandHandler(EnsureStream)
export class EnsureStreamHandler implements ICommandHandler<EnsureStream, StreamDescription> {
  constructor(
    private readonly pipeline: CommandPipeline,
    private readonly streams: StreamsProjection,
  ) {}

  async execute({ organization, name, context }: EnsureStream): Promise<StreamDescription> {
    const existing = this.streams.find(organization.id, name);
    if (existing) return existing;
    const problem = streamNameProblem(name);
    if (problem) throw new MillraceError('INVALID_NAME', problem);
    const id = await this.reserve(organization, name, context);
    const stream = { id, organizationId: organization.id, database: organization.database, name };
    await this.pipeline.handle({
      decider: streamAggregate,
      stream: `stream-${id}`,
      command: { type: 'create', stream },
      context,
    });
    const created = this.streams.byId(id);
    if (!created)
      throw new MillraceError(
        'CONFLICT',
        `stream ${name} was deleted while it was made; try again`,
      );
    return created;
  }

  private async reserve(
    organization: RequestOrganization,
    name: string,
    context: CommandContext,
  ): Promise<string> {
    const digest = createHash('sha256').update(`${organization.id}/${name}`).digest('hex');
    const streamId = ulid();
    const holder = await this.pipeline.handle({
      decider: reservation('StreamName'),
      stream: `streamname-${digest}`,
      command: { type: 'reserve', holder: streamId },
      context,
    });
    return holder ?? streamId;
  }
}
