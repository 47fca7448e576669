import type { Version } from './checkout.ts';

/** A process that can be ended and started again at its address. */
export type Replica = {
  /** URL of a service, or socket of a runner as in RUNNER_URLS. */
  url: string;
  /** Starts a version, by default the one before. */
  start: (version?: Version) => Promise<void>;
  stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
  /** Output of all its processes. */
  output: () => string;
  /** The last process. */
  process: () => { pid: number; metricsUrl: string };
};
