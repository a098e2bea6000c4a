// The floor for small uploads and small reads: Nest routes under Fastify, of which one reads its body,
// and both answer. Prints its port.
import 'reflect-metadata';
import { Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

class BareController {
  take() {
    return { code: 200 };
  }

  give() {
    return 'value of 7';
  }
}
Controller()(BareController);
Post('take')(
  BareController.prototype,
  'take',
  Object.getOwnPropertyDescriptor(BareController.prototype, 'take'),
);
Get('give')(
  BareController.prototype,
  'give',
  Object.getOwnPropertyDescriptor(BareController.prototype, 'give'),
);
class BareModule {}
Module({ controllers: [BareController] })(BareModule);

const app = await NestFactory.create(BareModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
console.log(new URL(await app.getUrl()).port);
