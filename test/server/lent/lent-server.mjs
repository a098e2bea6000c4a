import { ROOT, startProcess } from '../server-process.mjs';

/**
 * Adds itself to each organization that is lent: an organization has at least one member, and root
 * is no member.
 */
const FOUNDER = { email: 'founder@lent.example.com', password: 'Founder-Secret-1' };
const KEPT_OUTPUT = 4000;

/** A server that suites use one after the other, each in an organization of its own. */
export class LentServer {
  #server;
  #code;
  /** Ids of organizations that are lent and not given back. */
  loans = new Set();

  constructor(server) {
    this.#server = server;
    void server.ended.then((code) => (this.#code = code ?? 'of a signal'));
  }

  static async start() {
    const lent = new LentServer(await startProcess());
    const account = { ...FOUNDER, first_name: 'Founder', last_name: 'Lent', role: 'viewer' };
    await lent.#ask('POST', '/api/default/users', account);
    return lent;
  }

  get url() {
    return this.#server.url;
  }

  get dataDirectory() {
    return this.#server.dataDirectory;
  }

  get pid() {
    return this.#server.process.pid;
  }

  async found(organization) {
    await this.#ask('POST', `/api/${organization}/users/${FOUNDER.email}`, { role: 'admin' });
    this.loans.add(organization);
  }

  /**
   * @throws when the server cannot be lent again: it has ended, or cannot delete the organization.
   */
  async takeBack(organization) {
    this.loans.delete(organization);
    this.refuseEnded();
    await this.#ask('DELETE', `/api/${organization}`, { name: organization });
    await this.#ask('GET', '/readyz');
  }

  /** @throws when it has ended, with what it said last. */
  refuseEnded() {
    if (this.#code === undefined) return;
    const said = this.#server.output().slice(-KEPT_OUTPUT);
    throw new Error(`the lent server has ended, with code ${this.#code}:\n${said}`);
  }

  async stop() {
    this.#server.process.kill('SIGTERM');
    await this.#server.ended;
  }

  async #ask(method, path, body) {
    const authorization = Buffer.from(`${ROOT.email}:${ROOT.password}`).toString('base64');
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Basic ${authorization}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the lent server answers ${method} ${path}: ${text}`);
  }
}
