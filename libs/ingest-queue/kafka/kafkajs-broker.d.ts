declare module 'kafkajs/src/broker/index.js' {
  const broker: unknown;
  export default broker;
}
