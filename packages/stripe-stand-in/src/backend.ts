/** State and effects that the operations of the stand-in share. */
import type { Emit } from './events.ts';
import type { State } from './state.ts';

export type Backend = {
  state: State;
  emit: Emit;
  /** `http://host:port` of the stand-in. */
  url: () => string;
  /** Does something after the reply. */
  later: (effect: () => void) => void;
};
