import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandPipeline, stepOf, type CommandContext } from '@app/event-store';
import { MillraceError, type RequestOrganization, ulid } from '@app/platform';
import { streamNameProblem } from '../aggregates/stream-name-rules.js';
import { streamAggregate, type StreamChange } from '../aggregates/stream.aggregate.js';
import { StreamsProjection, type StreamDescription } from '../projections/streams.projection.js';
import { organizationDeleted } from './organization-deleted.js';
import { streamName, streamNameStream } from './stream-name.js';
import { StreamRoom } from './stream-room.js';

/**
 * Creates the stream, with its first columns and settings, unless the organization has it already.
 */
export class EnsureStream {
  constructor(
    readonly organization: RequestOrganization,
    readonly name: string,
    readonly context: CommandContext,
    /** Root may create any number. */
    readonly byRoot = false,
    readonly beginning?: StreamChange,
  ) {}
}

/**
 * Makes a stream unless it exists. A name belongs to the stream that has reserved it. A later
 * request, or a repetition after a crash, continues with that stream's id, so a name never has two
 * streams. A deleted stream gives its name back; if a crash prevented that, the next request for
 * the name does it.
 */
@CommandHandler(EnsureStream)
export class EnsureStreamHandler implements ICommandHandler<EnsureStream, StreamDescription> {
  constructor(
    private readonly pipeline: CommandPipeline,
    private readonly streams: StreamsProjection,
    private readonly room: StreamRoom,
  ) {}

  async execute(command: EnsureStream): Promise<StreamDescription> {
    const { organization, name, byRoot } = command;
    if (this.streams.isOrganizationDeleted(organization.id)) throw organizationDeleted();
    const existing = this.streams.find(organization.id, name);
    if (existing) return existing;
    const problem = streamNameProblem(name);
    if (problem) throw new MillraceError('INVALID_NAME', problem);
    return this.room.during(organization, name, byRoot, () => this.make(command));
  }

  private async make({
    organization,
    name,
    context,
    beginning,
  }: EnsureStream): Promise<StreamDescription> {
    const id = await this.reserve(organization, name, context);
    const stream = { id, organizationId: organization.id, database: organization.database, name };
    await this.pipeline.handle({
      decider: streamAggregate,
      stream: `stream-${id}`,
      command: { type: 'create', stream, ...(beginning ? { beginning } : {}) },
      context,
    });
    const created = this.streams.byId(id);
    if (this.streams.isOrganizationDeleted(organization.id)) throw organizationDeleted();
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
    const stream = streamNameStream(organization.id, name);
    for (const step of ['reserve', 'reserve-again']) {
      const holder = await this.pipeline.handle({
        decider: streamName,
        stream,
        command: { type: 'reserve', holder: ulid() },
        context: stepOf(context, step),
        isReservation: true,
      });
      if (holder !== undefined && !this.streams.isDeleted(holder)) return holder;
      if (holder !== undefined)
        await this.pipeline.handle({
          decider: streamName,
          stream,
          command: { type: 'release', holder },
          context: stepOf(context, 'release'),
          isReservation: true,
        });
    }
    throw new MillraceError('CONFLICT', `stream ${name} is being made and deleted; try again`);
  }
}
