import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { MillraceError, type RequestOrganization } from '@app/platform';
import { EnsureStream, EvolveStreamSchema, type StreamDescription } from '@app/streams';
import type { Survey } from '@app/acceptance';
import { lockKey } from './enqueue-batches.js';
import { ExactWidening, mayWiden } from './exact-widening.js';
import { SchemaLock } from './schema-lock.js';

type CommandContext = EvolveStreamSchema['context'];

/** Carries out the commands by which an upload creates its stream and its columns. */
@Injectable()
export class SchemaEvolution {
  constructor(
    private readonly commands: CommandBus,
    private readonly widening: ExactWidening,
    private readonly lock: SchemaLock,
  ) {}

  /** @returns the stream with this name, which is created if it does not exist */
  ensure(
    organization: RequestOrganization,
    name: string,
    survey: Survey,
    { context, root }: { readonly context: CommandContext; readonly root: boolean },
  ): Promise<StreamDescription> {
    return this.carryOut(
      new EnsureStream(organization, name, context, root, { type: 'evolve', survey }),
    );
  }

  /**
   * Adds and widens columns. While a column may widen, nothing of its stream is put on the queue.
   * @returns the stream as it is after that
   */
  evolve(
    organization: RequestOrganization,
    stream: StreamDescription,
    survey: Survey,
    context: CommandContext,
  ): Promise<StreamDescription> {
    const change = async (): Promise<StreamDescription> => {
      const exact = await this.widening.leaveOutInexact(stream, survey);
      return this.carryOut(
        new EvolveStreamSchema(stream.id, exact.survey, context, exact.released),
      );
    };
    return mayWiden(stream, survey)
      ? this.lock.exclusive(lockKey(organization, stream.name), change)
      : change();
  }

  private carryOut(command: EnsureStream | EvolveStreamSchema): Promise<StreamDescription> {
    return this.commands.execute<typeof command, StreamDescription>(command).catch(nothingStored);
  }
}

/**
 * Errors of commands say what was recorded. The message of an upload is about its rows, none of
 * which is on the queue yet.
 */
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
