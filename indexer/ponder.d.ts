/// <reference types="ponder/virtual" />

// The first two equal the ponder-env.d.ts that Ponder writes at every start.

declare module 'ponder:internal' {
  const config: typeof import('./ponder.config.ts');
  const schema: typeof import('./ponder.schema.ts');
}

declare module 'ponder:schema' {
  export * from './ponder.schema.ts';
}

/** Ponder's start command, which its package does not export: service/bundle-ponder.ts finds it. */
declare module 'ponder/start' {
  /** The used part of the application that the command builds before it indexes. */
  type PonderApp = {
    common: {
      shutdown: { add(callback: () => void): void };
      metrics: { registry: import('prom-client').Registry };
    };
    indexingBuild: {
      rpcs: import('./service/follow.ts').PonderRpc[];
      finalizedBlocks: { number: import('viem').Hex; hash: import('viem').Hex }[];
    };
    apiBuild: { app: import('./service/server.ts').Service['routes'] };
  };
  function start(params: {
    cliOptions: Record<string, unknown>;
    onBuild: (app: PonderApp) => Promise<PonderApp>;
  }): Promise<unknown>;
}
