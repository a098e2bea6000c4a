import { Controller, Get } from '@nestjs/common';

@Controller()
export class HealthController {
  @Get('healthz')
  alive(): { status: 'ok' } {
    return { status: 'ok' };
  }
}
