import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePrivately } from '@app/files';
import { askServer, openOperatorSocket, type OperatorTask } from './operator-socket.js';

describe('the operator’s way to a running server', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-operator-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const task: OperatorTask = (wish, { tell }) => {
    tell({ at: 1 });
    tell({ at: 2 });
    return Promise.resolve({ wish });
  };

  it('tells of each step, and what it has come to; and only its user has it', async () => {
    const umask = process.umask();
    makePrivately();
    const socket = await openOperatorSocket(directory, { task });
    process.umask(umask);
    expect(statSync(join(directory, 'operator.sock')).mode & 0o077).toBe(0);
    const steps: object[] = [];
    expect(await askServer(directory, 'task', { a: 1 }, (step) => steps.push(step))).toEqual({
      wish: { a: 1 },
    });
    expect(steps).toEqual([{ at: 1 }, { at: 2 }]);
    await socket.close();
  });

  it('is there in a folder whose path no socket may have, and over what a crash left', async () => {
    const deep = join(directory, 'x'.repeat(100), 'y'.repeat(100));
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, 'operator.sock'), '');
    const socket = await openOperatorSocket(deep, { task });
    expect(existsSync(join(deep, 'operator.sock'))).toBe(true);
    expect(await askServer(deep, 'task', {}, () => undefined)).toEqual({ wish: {} });
    await socket.close();
  });

  it('says why it failed, that there is no such task, and that there is no server', async () => {
    const failing: OperatorTask = () => Promise.reject(new Error('the disk is full'));
    const socket = await openOperatorSocket(directory, { failing });
    const ask = (name: string): Promise<object> => askServer(directory, name, {}, () => undefined);
    await expect(ask('failing')).rejects.toThrow('the disk is full');
    await expect(ask('other')).rejects.toThrow(/another version/);
    await socket.close();
    await expect(ask('failing')).rejects.toThrow(/no server answers/);
  });

  it('tells the server when the program that asked is gone', async () => {
    let left = (): void => undefined;
    const hasLeft = new Promise<void>((resolve) => (left = resolve));
    const socket = await openOperatorSocket(directory, {
      task: (_, { signal, tell }) => {
        signal.addEventListener('abort', left);
        tell({});
        return new Promise(() => undefined);
      },
    });
    const asked = askServer(directory, 'task', {}, () => {
      throw new Error('enough');
    });
    await expect(asked).rejects.toThrow('enough');
    await hasLeft;
    await socket.close();
  });
});
