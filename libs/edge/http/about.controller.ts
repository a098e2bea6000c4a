import { Controller, Get, Inject } from '@nestjs/common';
import { Describe, Open } from '@app/platform';

export const EDGE_VERSION = Symbol('EDGE_VERSION');

/** Answers what ROAPI answers about itself. */
@Controller()
export class AboutController {
  constructor(@Inject(EDGE_VERSION) private readonly version: string) {}

  @Open()
  @Get('health')
  @Describe({ tag: 'Health', summary: "The process is there, for ROAPI's checks", answer: 'OK' })
  health(): string {
    return 'OK';
  }

  @Open()
  @Get('api/version')
  @Describe({ tag: 'Health', summary: 'The version of the program', answer: '1.2.3' })
  about(): string {
    return JSON.stringify(this.version);
  }
}
