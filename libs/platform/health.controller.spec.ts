import { HealthController, Readiness } from './health.controller.js';

describe('HealthController', () => {
  it('is ready when every part is, and names each that is not', () => {
    const readiness = new Readiness();
    const health = new HealthController(readiness);
    expect(health.ready()).toEqual({ status: 'ok' });
    readiness.notReady('writer', 'draining');
    readiness.notReady('projector', 'at event 5 of 9');
    const why = 'not ready: writer: draining; projector: at event 5 of 9';
    expect(() => health.ready()).toThrow(
      expect.objectContaining({
        kind: 'SHUTTING_DOWN',
        message: why,
        retryAfterSeconds: 1,
      }) as Error,
    );
    readiness.ready('writer');
    readiness.ready('projector');
    expect(health.ready()).toEqual({ status: 'ok' });
  });

  it('is alive whatever is not ready', () => {
    const readiness = new Readiness();
    readiness.notReady('writer', 'draining');
    expect(new HealthController(readiness).alive()).toEqual({ status: 'ok' });
  });
});
