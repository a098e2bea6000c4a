import { MillraceError } from '../errors/errors.js';
import { HealthController } from './health.controller.js';
import { Readiness } from './readiness.js';

const failure = (kind: string, message: string) =>
  expect.objectContaining({ kind, message, retryAfterSeconds: 1 }) as Error;

describe('HealthController', () => {
  it('is ready when every component is, and names each that is not', async () => {
    const readiness = new Readiness();
    const health = new HealthController(readiness);
    let room = false;
    readiness.watch('event-store', () => undefined);
    expect(await health.ready()).toEqual({ status: 'ok' });
    readiness.watch('warehouse', () => Promise.reject(new Error('http://me:secret@host refused')));
    readiness.watch('disk', () => {
      if (!room) throw new MillraceError('DISK_FULL', 'the disk is nearly full');
    });
    await expect(health.ready()).rejects.toThrow(
      failure(
        'NOT_READY',
        'not ready: warehouse: it cannot be reached just now; disk: the disk is nearly full',
      ),
    );
    room = true;
    readiness.watch('warehouse', () => undefined);
    readiness.watch('disk', () => undefined);
    expect(await health.ready()).toEqual({ status: 'ok' });
  });

  it('is ready while it can do one of the things that it is for', async () => {
    const readiness = new Readiness();
    const health = new HealthController(readiness);
    const gone = new Set<string>();
    const components = ['queue', 'disk', 'warehouse', 'events'];
    const ask = (): Promise<unknown> => {
      for (const component of components)
        readiness.watch(component, () =>
          gone.has(component) ? Promise.reject(new Error('gone')) : undefined,
        );
      return health.ready();
    };
    readiness.serves('uploads', ['queue', 'disk']);
    readiness.serves('queries', ['warehouse']);
    const reason = 'it cannot be reached just now';
    for (const component of ['events', 'warehouse'] as const) gone.add(component);
    expect(await ask()).toEqual({ status: 'ok', away: { warehouse: reason, events: reason } });
    gone.add('disk');
    await expect(ask()).rejects.toThrow(
      failure('NOT_READY', `not ready: disk: ${reason}; warehouse: ${reason}; events: ${reason}`),
    );
    gone.delete('warehouse');
    expect(await ask()).toEqual({ status: 'ok', away: { disk: reason, events: reason } });
  });

  it('does not wait for a component that is silent, and asks it once', async () => {
    const readiness = new Readiness();
    let asked = 0;
    readiness.watch('queue', () => {
      asked += 1;
      return new Promise(() => undefined);
    });
    const why = failure('NOT_READY', 'not ready: queue: does not answer within 2 s');
    const both = [readiness.check(), readiness.check()];
    for (const each of both) await expect(each).rejects.toThrow(why);
    expect(asked).toBe(1);
  });

  it('tells facts of its components beside that all is well', async () => {
    const readiness = new Readiness();
    let age = 3;
    readiness.tell('follow', () => ({ age_seconds: age }));
    const health = new HealthController(readiness);
    expect(await health.ready()).toEqual({ status: 'ok', follow: { age_seconds: 3 } });
    age = 4;
    expect(await health.ready()).toEqual({ status: 'ok', follow: { age_seconds: 4 } });
  });

  it('is not ready while it stops, and alive all the same', async () => {
    const readiness = new Readiness();
    const health = new HealthController(readiness);
    readiness.notReady('server', 'stopping');
    await expect(health.ready()).rejects.toThrow(
      failure('SHUTTING_DOWN', 'not ready: server: stopping'),
    );
    expect(health.alive()).toEqual({ status: 'ok' });
    readiness.ready('server');
    expect(await health.ready()).toEqual({ status: 'ok' });
  });
});
