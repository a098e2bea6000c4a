import { z } from 'zod';

/**
 * The options that a connection string may have after the hosts. The client ignores those that it
 * does not know.
 */
const OPTIONS = new Map([
  ['tls', /^(true|false)$/],
  ['tlscafile', /./],
  ['usercertfile', /./],
  ['userkeyfile', /./],
  ['connectionname', /./],
  ['nodepreference', /^(leader|follower|random|readonlyreplica)$/i],
  ['maxdiscoverattempts', /^\d+$/],
  ['discoveryinterval', /^\d+$/],
  ['gossiptimeout', /^\d+$/],
  ['keepaliveinterval', /^\d+$/],
  ['keepalivetimeout', /^\d+$/],
]);
const SHAPE =
  /^esdb(?:\+discover)?:\/\/(?:[^:@/\s]+:[^@/\s]+@)?[^@/?\s]+\/?(?:\?(?<options>\S+))?$/;

/**
 * The connection string of EventStoreDB. It may hold a password, and the client prints a string
 * that it finds something wrong with, so everything it would complain about is refused here.
 */
const eventStoreUrl = z
  .string()
  .regex(SHAPE, 'want a connection string such as esdb://name:password@host:2113?tls=true')
  .superRefine((url, context) => {
    const options = SHAPE.exec(url)?.groups?.['options'];
    for (const option of options?.split('&') ?? []) {
      const [name = '', value = ''] = option.split('=', 2);
      const allowed = OPTIONS.get(name.toLowerCase().replace(/[_-]/g, ''));
      if (allowed?.test(value) === true) continue;
      const message =
        allowed === undefined
          ? `there is no option ${name}; there are ${[...OPTIONS.keys()].join(', ')}`
          : `the value of the option ${name} is not one of its values`;
      context.addIssue({ code: 'custom', message });
    }
  })
  .optional();

export const eventStoreVariables = {
  EVENTSTORE_URL: eventStoreUrl,
  // No dots: the streams of `a` begin with `a.`, and so would those of `a.b`.
  EVENTSTORE_NAMESPACE: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9_-]{0,99}$/,
      'want a letter, and then up to 99 letters, digits, dashes, underscores',
    )
    .default('millrace'),
};

export interface EventStoreConfig {
  /** A connection string. */
  readonly url: string;
  /** Begins the names of streams. */
  readonly namespace: string;
}

interface Values {
  readonly EVENTSTORE_URL?: string | undefined;
  readonly EVENTSTORE_NAMESPACE: string;
}

/** @returns undefined without a connection string */
export function eventStoreConfig(values: Values): EventStoreConfig | undefined {
  const { EVENTSTORE_URL: url, EVENTSTORE_NAMESPACE: namespace } = values;
  return url === undefined ? undefined : { url, namespace };
}
