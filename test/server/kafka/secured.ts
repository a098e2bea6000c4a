import { keyStore, type Certificates } from '../certificates.js';
import { freePort } from '../free-port.mjs';
import type { MoreListeners } from './kafka.mjs';

export const USER = { username: 'millrace', password: 'kafka-secret' };

/** The only ones that a password opens, and one that wants a certificate. */
export type Protocol = 'SASL_PLAINTEXT' | 'SASL_SSL' | 'SSL';

/**
 * Listeners that let in {@link USER} by each mechanism, and clients with a certificate of the
 * authority.
 */
export async function securedListeners(
  directory: string,
  { ca, server }: Certificates,
): Promise<MoreListeners & { readonly listeners: Readonly<Record<Protocol, number>> }> {
  const { username, password } = USER;
  const plain =
    'org.apache.kafka.common.security.plain.PlainLoginModule required' +
    ` user_${username}="${password}";`;
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
  const sasl = ['sasl_plaintext', 'sasl_ssl'].flatMap((listener) => [
    `listener.name.${listener}.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512`,
    `listener.name.${listener}.plain.sasl.jaas.config=${plain}`,
    `listener.name.${listener}.scram-sha-256.sasl.jaas.config=${scram}`,
    `listener.name.${listener}.scram-sha-512.sasl.jaas.config=${scram}`,
  ]);
  return {
    listeners: {
      SASL_PLAINTEXT: await freePort(),
      SASL_SSL: await freePort(),
      SSL: await freePort(),
    },
    properties: [
      ...sasl,
      'ssl.keystore.type=PEM',
      `ssl.keystore.location=${keyStore(directory, server)}`,
      'ssl.truststore.type=PEM',
      `ssl.truststore.location=${ca}`,
      'listener.name.ssl.ssl.client.auth=required',
    ].join('\n'),
    format: ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
      '--add-scram',
      `${mechanism}=[name=${username},password=${password}]`,
    ]),
  };
}
