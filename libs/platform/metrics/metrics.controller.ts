import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Describe } from '../context/describe.js';
import { RequiresOperator } from '../context/permission.js';
import { metricsText } from './registry.js';

@Controller()
export class MetricsController {
  @RequiresOperator()
  @Get('metrics')
  @Describe({
    tag: 'Health',
    summary:
      'What this process counts and measures, for Prometheus; for root, or from this machine',
    answer: 'millrace_ingest_records_total{outcome="accepted"} 1\n',
    answerType: 'text/plain',
    failures: { FORBIDDEN: 'this route is not open to you' },
  })
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    const { type, text } = await metricsText();
    await reply.type(type).send(text);
  }
}
