export { openKafka, type OpenKafka } from './open-kafka.js';
export { readWaitingHeaders } from './consume/waiting-topic-headers.js';
export { runningMembers } from './running-members.js';
