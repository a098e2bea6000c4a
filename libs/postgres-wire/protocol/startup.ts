import { BodyReader } from './body-reader.js';
import { violation } from './protocol-error.js';

type Startup =
  | { readonly kind: 'encryption' }
  | { readonly kind: 'cancel'; readonly process: number; readonly secret: number }
  | {
      readonly kind: 'session';
      readonly minor: number;
      readonly parameters: ReadonlyMap<string, string>;
    };

const CANCEL = 80_877_102;
/** SSLRequest and GSSENCRequest. */
const ENCRYPTION = new Set([80_877_103, 80_877_104]);
const MAJOR = 3;

/** The first message of a connection. @throws {PostgresError} FATAL */
export function readStartup(body: Buffer): Startup {
  const reader = new BodyReader(body);
  const code = reader.int32();
  if (ENCRYPTION.has(code)) return { kind: 'encryption' };
  if (code === CANCEL) return { kind: 'cancel', process: reader.int32(), secret: reader.int32() };
  const [major, minor] = [code >>> 16, code & 0xffff];
  if (major !== MAJOR) throw violation(`protocol ${major}.${minor} is not spoken here; 3.0 is`);
  const parameters = new Map<string, string>();
  for (let name = reader.text(); name !== ''; name = reader.text())
    parameters.set(name, reader.text());
  reader.end();
  return { kind: 'session', minor, parameters };
}
