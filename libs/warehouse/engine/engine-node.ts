import { randomUUID } from 'node:crypto';
import { Agent, request, type IncomingMessage } from 'node:http';
import { certain } from '@app/platform';
import {
  CONNECTIONS,
  SILENCE_MS,
  toServerError,
  type ServerAnswer,
  type ServerNode,
} from '../client/clickhouse-node.js';
import type { Request } from '../client/clickhouse-request.js';
import type { WarehouseError } from '../warehouse-errors.js';
import type { EngineProcess } from './engine-process.js';
import type { RunningEngine } from './running-engine.js';
import type { Login } from './engine-users.js';
import { boundValue } from './engine-parameter.js';

/** The time that a caller waits for an engine that is starting. */
const MAX_WAIT_MS = 10_000;
/** We end idle connections, because the engine would keep a thread for each. */
const IDLE_MS = 30_000;
/** After a lost connection, the engine's end may be noticed so much later. */
const NOTICED_MS = 500;

interface Connections extends RunningEngine {
  readonly agent: Agent;
}

/**
 * The engine's process as a server: of several generations, one after the other. It is asked by
 * Node's own HTTP: the client for servers waits for a timer before each request, and sends the
 * statement behind its headers, which made `SELECT 1` take 2.7 ms instead of 1.0.
 */
export class EngineNode implements ServerNode {
  private opened: Connections | undefined;

  constructor(
    private readonly engine: EngineProcess,
    private readonly login: Login,
  ) {}

  async send({ query, signal, ...rest }: Request): Promise<ServerAnswer> {
    const { origin, path, agent } = await this.connections();
    const { auth = this.login, database } = rest;
    const body = Buffer.from(query);
    const asked = request(`${origin}${path}?${addressOf(rest).toString()}`, {
      method: 'POST',
      agent,
      timeout: SILENCE_MS,
      headers: {
        'Content-Length': body.length,
        'X-ClickHouse-User': auth.username,
        'X-ClickHouse-Key': auth.password,
        ...(database === undefined ? {} : { 'X-ClickHouse-Database': database }),
      },
      ...(signal === undefined ? {} : { signal }),
    });
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      // An error after this point is also an error of the answer.
      asked.once('response', resolve).on('error', reject);
      asked.once('timeout', () => asked.destroy(new Error('the engine says nothing')));
      asked.end(body);
    });
    return {
      status: certain(answer.statusCode, 'status of an answer'),
      headers: answer.headers,
      body: answer,
    };
  }

  heard(): void {
    // The state of its process shows whether it is alive.
  }

  isThere(): Promise<boolean> {
    return Promise.resolve(true);
  }

  toError(error: unknown): WarehouseError {
    return toServerError(error, 'the engine');
  }

  readonly lost = async (): Promise<void> => {
    if (this.opened) await this.engine.gone(this.opened.generation, NOTICED_MS);
  };

  close(): Promise<void> {
    this.opened?.agent.destroy();
    return Promise.resolve();
  }

  private async connections(): Promise<Connections> {
    const running = await this.engine.ready(MAX_WAIT_MS);
    if (this.opened?.generation === running.generation) return this.opened;
    this.opened?.agent.destroy();
    this.opened = {
      ...running,
      agent: new Agent({ keepAlive: true, maxSockets: CONNECTIONS, timeout: IDLE_MS }),
    };
    return this.opened;
  }
}

/** Everything about the statement except its text and its user. */
function addressOf({ id, settings, params, role }: Omit<Request, 'query'>): URLSearchParams {
  const address = new URLSearchParams({ query_id: id ?? randomUUID() });
  for (const [name, value] of Object.entries(settings)) address.set(name, String(value));
  for (const [name, value] of Object.entries(params ?? {}))
    address.set(`param_${name}`, boundValue(value));
  if (role !== undefined) address.set('role', role);
  return address;
}
