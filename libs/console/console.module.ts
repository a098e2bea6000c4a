import { Module, type DynamicModule } from '@nestjs/common';
import { CONSOLE_PROGRAM, ConsoleController, type ConsoleProgram } from './console.controller.js';

/** The page for people, at `/`. */
@Module({})
export class ConsoleModule {
  static of(program: ConsoleProgram): DynamicModule {
    return {
      module: ConsoleModule,
      controllers: [ConsoleController],
      providers: [{ provide: CONSOLE_PROGRAM, useValue: program }],
    };
  }
}
