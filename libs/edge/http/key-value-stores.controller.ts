import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Describe, Requires } from '@app/platform';
import { KeyValueStores } from '../kv/key-value-stores.js';

@Controller()
@Requires('query')
export class KvController {
  constructor(private readonly stores: KeyValueStores) {}

  @Get('kv/:store/:key')
  @Describe({
    tag: 'Queries',
    summary: 'The value of a key, as it is',
    answer: 'Falcon 9',
    failures: { STREAM_NOT_FOUND: 'store rockets has no key "falcon10"' },
  })
  async value(
    @Param('store') store: string,
    @Param('key') key: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const value = await this.stores.value(store, key, () => leaving(reply));
    await reply.type('text/plain; charset=utf-8').send(value);
  }
}

/** Aborts when the client goes away. */
function leaving(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
