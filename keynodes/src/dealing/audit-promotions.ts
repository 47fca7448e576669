import type { Logger } from 'pino';
import type { NodeStore } from '../node-store.ts';
import type { Shares } from '../shares.ts';

/** Writes to the audit log when a published share replaces the previous one, which is then deleted. */
export function auditPromotions(shares: Shares, store: NodeStore, log: Logger): Shares {
  return {
    async ofPublished(parameters) {
      const before = store.read().current;
      const loaded = await shares.ofPublished(parameters);
      const { current } = store.read();
      if (loaded && current !== before && current?.parameters === parameters)
        log.info({ epoch: loaded.share.epoch, identifier: loaded.share.identifier }, 'promoted a share');
      return loaded;
    },
  };
}
