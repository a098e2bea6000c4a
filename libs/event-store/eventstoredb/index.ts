export { openEventStoreDb, type EventStoreDbOptions } from './event-store-db.js';
