export { STORED_EVENTS, understoodEvents } from './stored-events.js';
