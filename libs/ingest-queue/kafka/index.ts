export { openKafka, type KafkaOptions, type OpenKafka } from './open-kafka.js';
