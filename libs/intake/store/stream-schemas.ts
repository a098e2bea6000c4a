import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ulid } from 'ulid';
import { MillraceError, seesStream, type RequestOrganization } from '@app/platform';
import {
  EnsureStream,
  EvolveStreamSchema,
  organizationDeleted,
  refusedFields,
  StreamRoom,
  StreamsProjection,
  WarehouseTablesProjection,
  type StreamDescription,
} from '@app/streams';
import type { EvolvedSchema, SchemaKeeper, StreamSchema, Survey } from '@app/acceptance';
import { gateKey } from './enqueue-batches.js';
import { ExactWidening, mayWiden } from './exact-widening.js';
import { SchemaLock } from './schema-lock.js';

/** Who uploads, for the events that an upload may cause. */
export interface Uploader {
  readonly actor: string;
  /** May make as many streams as it wants. */
  readonly root?: boolean;
  readonly organizationId: string;
  readonly address?: string;
  readonly userAgent?: string;
  readonly requestId?: string;
}

/** Acceptance's view of the streams: schemas, and how they change. */
@Injectable()
export class StreamSchemas {
  constructor(
    private readonly commands: CommandBus,
    private readonly streams: StreamsProjection,
    private readonly widening: ExactWidening,
    private readonly gate: SchemaLock,
    private readonly tables: WarehouseTablesProjection,
    private readonly room: StreamRoom,
  ) {}

  /**
   * Before any work is done for it.
   * @throws {MillraceError} LIMIT_REACHED when the stream is not there and would be one too many; FORBIDDEN when it is not the caller's
   */
  checkRoom(organization: RequestOrganization, name: string, { root = false }: Uploader): void {
    checkSeen(organization, name);
    this.room.checkFor(organization, name, root);
  }

  keeper(organization: RequestOrganization, name: string, uploader: Uploader): SchemaKeeper {
    const { root = false, ...who } = uploader;
    let known: string | undefined;
    /** An upload is for one stream: not for another that took its name meanwhile. */
    const same = <Schema extends StreamSchema>(schema: Schema | undefined): Schema | undefined => {
      if (known !== undefined && schema?.id !== known) throw deletedMeanwhile(name);
      known = schema?.id;
      if (schema) this.tables.checkUsable(schema.id);
      return schema;
    };
    // Whatever is stored asks here first.
    const current = (): StreamSchema | undefined => {
      checkSeen(organization, name);
      this.checkThere(organization);
      return same(this.streams.find(organization.id, name));
    };
    const evolve = async (survey: Survey): Promise<EvolvedSchema> => {
      current();
      const context = { ...who, commandId: ulid(), occurredAt: new Date().toISOString() };
      const stream = await this.carryOut(
        new EnsureStream(organization, name, context, root, { type: 'evolve', survey }),
      );
      same(stream);
      const change = async (): Promise<StreamDescription> => {
        const exact = await this.widening.leaveOutInexact(stream, survey);
        return this.carryOut(
          new EvolveStreamSchema(
            stream.id,
            exact.survey,
            { ...context, commandId: ulid() },
            exact.released,
          ),
        );
      };
      const changed = mayWiden(stream, survey)
        ? this.gate.alone(gateKey(organization, name), change)
        : change();
      const schema = await changed.catch((error: unknown) => {
        this.checkThere(organization);
        throw error;
      });
      this.tables.checkUsable(schema.id);
      return { schema, refusedFields: refusedFields(schema.columns, survey) };
    };
    return { current, evolve };
  }

  /** @throws {MillraceError} ORGANIZATION_NOT_FOUND */
  private checkThere({ id }: RequestOrganization): void {
    if (this.streams.isOrganizationDeleted(id)) throw organizationDeleted();
  }

  private carryOut(command: EnsureStream | EvolveStreamSchema): Promise<StreamDescription> {
    return this.commands.execute<typeof command, StreamDescription>(command).catch(nothingStored);
  }
}

/** The same whether there is such a stream or not. */
function checkSeen(organization: RequestOrganization, name: string): void {
  if (!seesStream(organization, name))
    throw new MillraceError('FORBIDDEN', `this token is for other streams than ${name}`);
}

/** Commands say what they have recorded; an upload is about its rows, of which nothing is on the queue yet. */
function nothingStored(error: unknown): never {
  if (error instanceof MillraceError && error.kind === 'NOT_READY')
    throw new MillraceError(
      'NOT_READY',
      'nothing of this upload was stored: its stream, or a column of it, cannot be made just now; send it again later',
      { retryAfterSeconds: error.retryAfterSeconds ?? RETRY_AFTER_SECONDS, cause: error },
    );
  if (error instanceof MillraceError && error.kind === 'SHUTTING_DOWN')
    throw new MillraceError(
      'SHUTTING_DOWN',
      'nothing of this upload was stored: the server is stopping; send it again later',
      { retryAfterSeconds: error.retryAfterSeconds ?? RETRY_AFTER_SECONDS, cause: error },
    );
  throw error;
}

const RETRY_AFTER_SECONDS = 5;

const deletedMeanwhile = (name: string): MillraceError =>
  new MillraceError(
    'CONFLICT',
    `stream ${name} was deleted during the upload; nothing of it was stored; send it again`,
  );
