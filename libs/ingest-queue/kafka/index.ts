export { openKafkaIngestQueue, type KafkaOptions } from './open-kafka.js';
