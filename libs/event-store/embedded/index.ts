export { openEmbeddedEventStore } from './embedded-event-store.js';
