/** The dependencies of the stand-in's operations. */
import type { Emit } from './events.ts';
import type { State } from './state.ts';

export type Backend = {
  state: State;
  emit: Emit;
  /** Returns `http://host:port` of the stand-in. */
  url: () => string;
  /** Runs an effect after the reply. */
  later: (effect: () => void) => void;
};
