import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ulid } from 'ulid';
import { MillraceError, type RequestOrganization } from '@app/platform';
import {
  EnsureStream,
  EvolveStreamSchema,
  refusedFields,
  StreamsProjection,
  WarehouseTablesProjection,
  type StreamDescription,
} from '@app/streams';
import type { EvolvedSchema, SchemaKeeper } from '../accept/accept-records.js';
import type { StreamSchema } from '../accept/chunk.js';
import type { Survey } from '../accept/survey-records.js';
import { gateKey } from './enqueue-batches.js';
import { ExactWidening, mayWiden } from './exact-widening.js';
import { SchemaGate } from './schema-gate.js';

/** Who uploads, for the events that an upload may cause. */
export interface Uploader {
  readonly actor: string;
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
    private readonly gate: SchemaGate,
    private readonly tables: WarehouseTablesProjection,
  ) {}

  keeper(organization: RequestOrganization, name: string, uploader: Uploader): SchemaKeeper {
    let known: string | undefined;
    /** An upload is for one stream: not for another that took its name meanwhile. */
    const same = <Schema extends StreamSchema>(schema: Schema | undefined): Schema | undefined => {
      if (known !== undefined && schema?.id !== known) throw deletedMeanwhile(name);
      known = schema?.id;
      if (schema) this.tables.checkUsable(schema.id);
      return schema;
    };
    const current = (): StreamSchema | undefined => same(this.streams.find(organization.id, name));
    const evolve = async (survey: Survey): Promise<EvolvedSchema> => {
      current();
      const context = { ...uploader, commandId: ulid(), occurredAt: new Date().toISOString() };
      const stream = await this.commands.execute<EnsureStream, StreamDescription>(
        new EnsureStream(organization, name, context),
      );
      same(stream);
      const change = async (): Promise<StreamDescription> => {
        const exact = await this.widening.leaveOutInexact(stream, survey);
        return this.commands.execute<EvolveStreamSchema, StreamDescription>(
          new EvolveStreamSchema(
            stream.id,
            exact.survey,
            { ...context, commandId: ulid() },
            exact.released,
          ),
        );
      };
      const schema = mayWiden(stream, survey)
        ? await this.gate.alone(gateKey(organization, name), change)
        : await change();
      this.tables.checkUsable(schema.id);
      return { schema, refusedFields: refusedFields(schema.columns, survey) };
    };
    return { current, evolve };
  }
}

const deletedMeanwhile = (name: string): MillraceError =>
  new MillraceError(
    'CONFLICT',
    `stream ${name} was deleted during the upload; nothing of it was stored; send it again`,
  );
