import { Controller, Get, Injectable } from '@nestjs/common';
import { Describe } from './describe.js';
import { MillraceError } from './errors.js';
import { Open } from './permission.js';

/** Which parts of the program are not ready to serve, and why. */
@Injectable()
export class Readiness {
  private readonly waiting = new Map<string, string>();

  notReady(part: string, why: string): void {
    this.waiting.set(part, why);
  }

  ready(part: string): void {
    this.waiting.delete(part);
  }

  reasons(): readonly string[] {
    return [...this.waiting].map(([part, why]) => `${part}: ${why}`);
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
  ready(): { status: 'ok' } {
    const reasons = this.readiness.reasons();
    if (reasons.length > 0)
      throw new MillraceError('SHUTTING_DOWN', `not ready: ${reasons.join('; ')}`, {
        retryAfterSeconds: 1,
      });
    return { status: 'ok' };
  }
}
