export { openKafka, type KafkaOptions, type OpenKafka } from './open-kafka.js';
export { readWaitingHeaders } from './consume/waiting-topic-headers.js';
