import { Controller, Get, Inject } from '@nestjs/common';
import { Describe } from '../context/describe.js';
import { Open } from '../context/permission.js';
import { Readiness, type ReadyState } from './readiness.js';

@Controller()
export class HealthController {
  constructor(@Inject(Readiness) private readonly readiness: Readiness) {}

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
    summary: 'It can serve: take uploads, or answer queries; `away` names what it cannot reach',
    answer: { status: 'ok' },
    failures: {
      NOT_READY:
        'not ready: warehouse: it cannot be reached just now; queue: it cannot be reached just now',
      SHUTTING_DOWN: 'not ready: server: stopping',
    },
  })
  ready(): Promise<ReadyState> {
    return this.readiness.check();
  }
}
