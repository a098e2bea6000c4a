export { openEventStoreDb } from './event-store-db.js';
