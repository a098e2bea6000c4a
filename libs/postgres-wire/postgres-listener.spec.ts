import { once } from 'node:events';
import { connect } from 'node:net';
import type { Logger } from '@app/platform';
import type { Answerers } from './session/answering.js';
import { PostgresListener } from './postgres-listener.js';

const SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex');

describe('the door for clients of PostgreSQL', () => {
  it('answers a request for encryption twice, and not for ever', async () => {
    const listener = new PostgresListener({} as Answerers, {} as Logger);
    const address = await listener.open({ host: '127.0.0.1', port: 0 });
    try {
      const socket = connect(Number(new URL(address).port), '127.0.0.1').setEncoding('utf8');
      let answer = '';
      socket.on('error', () => undefined).on('data', (piece: string) => (answer += piece));
      socket.write(Buffer.concat(Array.from({ length: 50 }, () => SSL_REQUEST)));
      await once(socket, 'close');
      expect(answer).toMatch(/^NNE.*08P01/s);
    } finally {
      await listener.close();
    }
  });
});
