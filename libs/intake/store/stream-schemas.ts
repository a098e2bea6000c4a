import { Injectable } from '@nestjs/common';
import { MillraceError, type RequestOrganization, seesStream, ulid } from '@app/platform';
import {
  organizationDeleted,
  refusedFields,
  StreamRoom,
  StreamsProjection,
  WarehouseTablesProjection,
} from '@app/streams';
import type { EvolvedSchema, SchemaKeeper, StreamSchema, Survey } from '@app/acceptance';
import { SchemaEvolution } from './schema-evolution.js';

/** The sender of an upload, for the events that it may cause. */
export interface Uploader {
  readonly actor: string;
  /** Root may make any number of streams. */
  readonly root?: boolean;
  readonly organizationId: string;
  readonly address?: string;
  readonly userAgent?: string;
  readonly requestId?: string;
  /** @throws {MillraceError} FORBIDDEN when the sender has lost the right meanwhile */
  readonly checkAdmission?: () => void;
}

/** Acceptance's view of the streams: schemas, and how they change. */
@Injectable()
export class StreamSchemas {
  constructor(
    private readonly streams: StreamsProjection,
    private readonly tables: WarehouseTablesProjection,
    private readonly room: StreamRoom,
    private readonly evolution: SchemaEvolution,
  ) {}

  /**
   * Must be called before any work is done for the upload.
   * @throws {MillraceError} LIMIT_REACHED when the stream is not there and would be one too many;
   * FORBIDDEN when the caller may not use it
   */
  checkRoom(organization: RequestOrganization, name: string, { root = false }: Uploader): void {
    checkSeen(organization, name);
    this.room.checkFor(organization, name, root);
  }

  keeper(organization: RequestOrganization, name: string, uploader: Uploader): SchemaKeeper {
    const { root = false, checkAdmission, ...who } = uploader;
    let known: string | undefined;
    /**
     * An upload is for one stream, and must not go to another stream that got its name meanwhile.
     */
    const same = <Schema extends StreamSchema>(schema: Schema | undefined): Schema | undefined => {
      if (known !== undefined && schema?.id !== known) throw deletedMeanwhile(name);
      known = schema?.id;
      if (schema) this.tables.checkUsable(schema.id);
      return schema;
    };
    // All code that stores something asks here first.
    const current = (): StreamSchema | undefined => {
      checkSeen(organization, name);
      this.checkThere(organization);
      checkAdmission?.();
      return same(this.streams.find(organization.id, name));
    };
    const evolve = async (survey: Survey): Promise<EvolvedSchema> => {
      current();
      const context = { ...who, commandId: ulid(), occurredAt: new Date().toISOString() };
      const stream = await this.evolution.ensure(organization, name, survey, { context, root });
      same(stream);
      const schema = await this.evolution
        .evolve(organization, stream, survey, { ...context, commandId: ulid() })
        .catch((error: unknown) => {
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
}

/** The answer is the same whether the stream exists or not. */
function checkSeen(organization: RequestOrganization, name: string): void {
  if (!seesStream(organization, name))
    throw new MillraceError('FORBIDDEN', `this token is for other streams than ${name}`);
}

const deletedMeanwhile = (name: string): MillraceError =>
  new MillraceError(
    'CONFLICT',
    `stream ${name} was deleted during the upload; nothing of it was stored; send it again`,
  );
