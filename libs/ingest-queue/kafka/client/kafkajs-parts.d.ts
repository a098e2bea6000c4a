/** The client has no types for its private parts. */
declare module 'kafkajs/src/*' {
  const part: unknown;
  export default part;
}
