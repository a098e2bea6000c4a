/** The client has no types for its internals. */
declare module 'kafkajs/src/*' {
  const internal: unknown;
  export default internal;
}
