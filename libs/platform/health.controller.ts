import { Controller, Get, Injectable } from '@nestjs/common';
import { Describe } from './describe.js';
import { MillraceError } from './errors.js';
import { Open } from './permission.js';

export type PartState =
  { readonly why: string } | { readonly facts: Readonly<Record<string, unknown>> };

/** Which parts of the program are not ready to serve, and why. */
@Injectable()
export class Readiness {
  private readonly waiting = new Map<string, string>();
  private readonly telling = new Map<string, () => PartState>();

  notReady(part: string, why: string): void {
    this.waiting.set(part, why);
  }

  ready(part: string): void {
    this.waiting.delete(part);
  }

  /** A part that is asked each time: why it is not ready, or what there is to tell of it. */
  tell(part: string, state: () => PartState): void {
    this.telling.set(part, state);
  }

  reasons(): readonly string[] {
    const asked = this.states().flatMap(([part, state]) =>
      'why' in state ? [`${part}: ${state.why}`] : [],
    );
    return [...[...this.waiting].map(([part, why]) => `${part}: ${why}`), ...asked];
  }

  /** Of the parts that have something to tell. */
  facts(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      this.states().flatMap(([part, state]) => ('facts' in state ? [[part, state.facts]] : [])),
    );
  }

  private states(): readonly (readonly [string, PartState])[] {
    return [...this.telling].map(([part, state]) => [part, state()]);
  }
}

@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Open()
  @Get('healthz')
  @Describe({ tag: 'Health', summary: 'The process is there', answer: { status: 'ok' } })
  alive(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Open()
  @Get('readyz')
  @Describe({
    tag: 'Health',
    summary: 'It can serve',
    answer: { status: 'ok' },
    failures: { SHUTTING_DOWN: 'not ready: server: stopping' },
  })
  ready(): Readonly<Record<string, unknown>> {
    const reasons = this.readiness.reasons();
    if (reasons.length > 0)
      throw new MillraceError('SHUTTING_DOWN', `not ready: ${reasons.join('; ')}`, {
        retryAfterSeconds: 1,
      });
    return { status: 'ok', ...this.readiness.facts() };
  }
}
