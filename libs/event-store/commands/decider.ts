export interface DomainEvent {
  readonly type: string;
  readonly data: unknown;
}

/** An aggregate as pure functions. Time and ids come in with the command. */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initialState: State;
  evolve(this: void, state: State, event: Event): State;
  /** @throws {MillraceError} when the command is not allowed in this state. No events: nothing to do. */
  decide(this: void, state: State, command: Command): readonly Event[];
}
