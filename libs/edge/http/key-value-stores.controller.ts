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
  value(
    @Param('store') store: string,
    @Param('key') key: string,
    @Res() reply: FastifyReply,
  ): void | Promise<void> {
    const value = this.stores.value(store, key, () => leaving(reply));
    // Fastify sends a text as plain text in UTF-8. To say so, or to wait for what is there, would cost
    // more than the look-up.
    if (value instanceof Promise) return value.then((late) => void reply.send(late));
    void reply.send(value);
    return undefined;
  }
}

/** Aborts when the client goes away. */
function leaving(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.destroyed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}
