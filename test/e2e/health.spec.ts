import { startServer, type Server } from './server.js';

describe('a started server', () => {
  let server: Server | undefined;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server?.process.kill('SIGKILL'));

  it('is healthy', async () => {
    const response = await fetch(`${server?.url}/healthz`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
  });

  it('ends with code 0 on SIGTERM', async () => {
    expect(await server?.stop()).toBe(0);
  });
});
