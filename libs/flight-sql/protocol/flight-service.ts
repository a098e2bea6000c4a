import type { MethodDefinition } from '@grpc/grpc-js';

const SERVICE = '/arrow.flight.protocol.FlightService/';

/**
 * The service takes and gives messages as bytes. The handler of a call reads them, and reports
 * their faults.
 */
const method = (
  name: string,
  requestStream: boolean,
  responseStream: boolean,
): MethodDefinition<Buffer, Buffer> => ({
  path: `${SERVICE}${name}`,
  requestStream,
  responseStream,
  requestSerialize: asTheyAre,
  requestDeserialize: asTheyAre,
  responseSerialize: asTheyAre,
  responseDeserialize: asTheyAre,
});

const asTheyAre = (bytes: Buffer): Buffer => bytes;

/** The calls of Arrow Flight that are answered. What is missing here, gRPC says is not implemented. */
export const FLIGHT_SERVICE = {
  handshake: method('Handshake', true, true),
  listFlights: method('ListFlights', false, true),
  getFlightInfo: method('GetFlightInfo', false, false),
  getSchema: method('GetSchema', false, false),
  doGet: method('DoGet', false, true),
  doPut: method('DoPut', true, true),
  doAction: method('DoAction', false, true),
  listActions: method('ListActions', false, true),
} as const;
