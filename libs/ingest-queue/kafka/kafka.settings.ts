import { z } from 'zod';
import { kafkaAccess, kafkaAccessVariables, type KafkaAccess } from './kafka-access.settings.js';

const brokers = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .refine((all) => all.every((each) => /^[^\s,/]+:\d{1,5}$/.test(each)), {
    error: 'want <host>:<port> of one or more brokers, with commas between them',
  })
  .optional();

/** The names of organizations. */
const names = z
  .string()
  .prefault('')
  .transform((text) => text.split(',').map((each) => each.trim()))
  .transform((all) => new Set(all.filter((each) => each !== '')));

export const kafkaVariables = {
  KAFKA_BROKERS: brokers,
  KAFKA_NAMESPACE: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,100}$/, 'want up to 100 letters, digits, dots, dashes, underscores')
    .default('millrace'),
  KAFKA_UPLOAD_ORGANIZATIONS: names,
  ...kafkaAccessVariables,
};

export interface KafkaConfig {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  /** The prefix of the names of topics, consumer groups and transactions. */
  readonly namespace: string;
  /** The organizations whose streams other programs may feed through Kafka. */
  readonly uploadOrganizations: ReadonlySet<string>;
  readonly access: KafkaAccess;
}

type Values = z.output<z.ZodObject<typeof kafkaVariables>>;

/** @returns undefined without brokers @throws {Error} that names the variable */
export function kafkaConfig(values: Values): KafkaConfig | undefined {
  if (values.KAFKA_BROKERS === undefined) return undefined;
  return {
    brokers: values.KAFKA_BROKERS,
    namespace: values.KAFKA_NAMESPACE,
    uploadOrganizations: values.KAFKA_UPLOAD_ORGANIZATIONS,
    access: kafkaAccess(values),
  };
}
