import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { OperatorError } from '@app/platform';

/** The credentials for the brokers. Secret. */
export interface KafkaAccess {
  /** Undefined means: connections are plain. */
  readonly tls: KafkaTls | undefined;
  /** Undefined means that the brokers ask for no credentials, or that the certificate is enough. */
  readonly sasl:
    | { readonly mechanism: SaslMechanism; readonly username: string; readonly password: string }
    | undefined;
}

/** PEM each. */
interface KafkaTls {
  /**
   * The authority that signs the brokers' certificates. Undefined means those that Node.js trusts.
   */
  readonly ca: string | undefined;
  /** Our own certificate, for brokers that require one. */
  readonly client:
    | { readonly certificate: string; readonly key: string; readonly keyPassword?: string }
    | undefined;
}

type SaslMechanism = 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';

const file = z.string().min(1, 'want the path of a file').optional();
const text = z.string().min(1, 'want a text that is not empty').optional();

/** Named as the settings of librdkafka and its tools, each with a file to read it from where it is secret. */
export const kafkaAccessVariables = {
  KAFKA_SECURITY_PROTOCOL: z
    .enum(['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'])
    .default('PLAINTEXT'),
  KAFKA_SSL_CA_LOCATION: file,
  KAFKA_SSL_CERTIFICATE_LOCATION: file,
  KAFKA_SSL_KEY_LOCATION: file,
  KAFKA_SSL_KEY_PASSWORD: text,
  KAFKA_SSL_KEY_PASSWORD_FILE: file,
  KAFKA_SASL_MECHANISM: z.enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']).optional(),
  KAFKA_SASL_USERNAME: text,
  KAFKA_SASL_PASSWORD: text,
  KAFKA_SASL_PASSWORD_FILE: file,
};

type Variables = z.infer<z.ZodObject<typeof kafkaAccessVariables>>;
type Name = keyof Variables;

/** @throws when variables contradict each other, one is missing, or a file is not what it should be. */
export function kafkaAccess(variables: Variables): KafkaAccess {
  const protocol = variables.KAFKA_SECURITY_PROTOCOL;
  const [withSasl, withTls] = [protocol.startsWith('SASL_'), protocol.endsWith('SSL')];
  if (!withTls) refuseAll(variables, 'KAFKA_SSL_', 'SSL or SASL_SSL');
  if (!withSasl) refuseAll(variables, 'KAFKA_SASL_', 'SASL_PLAINTEXT or SASL_SSL');
  return {
    tls: withTls ? tlsOf(variables) : undefined,
    sasl: withSasl ? saslOf(variables) : undefined,
  };
}

/**
 * A secret that is set and not used is a mistake. Most likely the connection should not be plain.
 */
function refuseAll(variables: Variables, prefix: string, protocols: string): void {
  for (const [name, value] of Object.entries(variables))
    if (name.startsWith(prefix) && value !== undefined)
      throw problem(`${name} is for KAFKA_SECURITY_PROTOCOL ${protocols}`);
}

function saslOf(variables: Variables): NonNullable<KafkaAccess['sasl']> {
  const mechanism = variables.KAFKA_SASL_MECHANISM;
  const username = variables.KAFKA_SASL_USERNAME;
  const password = secret(variables, 'KAFKA_SASL_PASSWORD', 'KAFKA_SASL_PASSWORD_FILE');
  if (mechanism === undefined || username === undefined || password === undefined)
    throw problem(
      `KAFKA_SECURITY_PROTOCOL ${variables.KAFKA_SECURITY_PROTOCOL} needs KAFKA_SASL_MECHANISM (PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512), KAFKA_SASL_USERNAME, and KAFKA_SASL_PASSWORD or KAFKA_SASL_PASSWORD_FILE`,
    );
  return { mechanism, username, password };
}

function tlsOf(variables: Variables): KafkaTls {
  const ca = pem(variables, 'KAFKA_SSL_CA_LOCATION', isCertificate);
  const certificate = pem(variables, 'KAFKA_SSL_CERTIFICATE_LOCATION', isCertificate);
  const keyPassword = secret(variables, 'KAFKA_SSL_KEY_PASSWORD', 'KAFKA_SSL_KEY_PASSWORD_FILE');
  const key = pem(variables, 'KAFKA_SSL_KEY_LOCATION', (content) =>
    createPrivateKey({ key: content, ...(keyPassword ? { passphrase: keyPassword } : {}) }),
  );
  if ((certificate === undefined) !== (key === undefined))
    throw problem('KAFKA_SSL_CERTIFICATE_LOCATION and KAFKA_SSL_KEY_LOCATION need each other');
  if (certificate === undefined || key === undefined) return { ca, client: undefined };
  return { ca, client: { certificate, key, ...(keyPassword ? { keyPassword } : {}) } };
}

const isCertificate = (content: string): unknown => new X509Certificate(content);

/**
 * @param check throws when the value is wrong; its message may contain secrets and is not repeated.
 */
function pem(
  variables: Variables,
  name: Name,
  check: (content: string) => unknown,
): string | undefined {
  const content = contentOf(variables, name);
  if (content === undefined) return undefined;
  try {
    check(content);
  } catch {
    throw problem(
      `${name}: want a file in PEM format${name.includes('KEY') ? ', opened by KAFKA_SSL_KEY_PASSWORD where it is encrypted' : ''}`,
    );
  }
  return content;
}

function secret(variables: Variables, name: Name, fileName: Name): string | undefined {
  const given = variables[name];
  if (given !== undefined && variables[fileName] !== undefined)
    throw problem(`${name} and ${fileName} are both there; one is enough`);
  // Editors and `echo` end a file with a line break.
  const content = given ?? contentOf(variables, fileName)?.replace(/\r?\n$/, '');
  if (content === '') throw problem(`${fileName}: the file is empty`);
  return content;
}

function contentOf(variables: Variables, name: Name): string | undefined {
  const path = variables[name];
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw problem(`${name}: ${(error as Error).message}`);
  }
}

const problem = (message: string): OperatorError => new OperatorError(`configuration: ${message}`);
