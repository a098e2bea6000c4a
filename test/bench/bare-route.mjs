// The floor for small uploads: a Nest route under Fastify that reads its body and answers. Prints its port.
import 'reflect-metadata';
import { Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

class BareController {
  take() {
    return { code: 200 };
  }
}
Controller()(BareController);
Post('take')(
  BareController.prototype,
  'take',
  Object.getOwnPropertyDescriptor(BareController.prototype, 'take'),
);
class BareModule {}
Module({ controllers: [BareController] })(BareModule);

const app = await NestFactory.create(BareModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
console.log(new URL(await app.getUrl()).port);
