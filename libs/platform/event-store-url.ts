import { z } from 'zod';

/** What a connection string may say after the hosts; the client ignores what it does not know. */
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
export const eventStoreUrl = z
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
