import { Injectable } from '@nestjs/common';
import type { Projection, RecordedEvent } from '@app/event-store';
import { userAggregate, type UserEvent, type UserState } from '../aggregates/user.aggregate.js';

export type User = NonNullable<UserState>;

/** Accounts by e-mail (in lower case) and by id. */
@Injectable()
export class UsersProjection implements Projection {
  readonly name = 'users';
  private readonly users = new Map<string, User>();
  private readonly emails = new Map<string, string>();

  apply(event: RecordedEvent): void {
    if (!event.stream.startsWith('user-')) return;
    const id = event.stream.slice('user-'.length);
    const user = userAggregate.evolve(this.users.get(id), event as unknown as UserEvent);
    if (!user) return;
    this.users.set(id, user);
    this.emails.set(user.email.toLowerCase(), id);
  }

  byEmail(email: string): User | undefined {
    return this.byId(this.emails.get(email.toLowerCase()) ?? '');
  }

  byId(id: string): User | undefined {
    return this.users.get(id);
  }

  root(): User | undefined {
    return [...this.users.values()].find((user) => user.root);
  }
}
