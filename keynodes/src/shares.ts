/** The shares that this node evaluates with. */
import {
  checkShare,
  checkSigningParameters,
  decodeGroupParameters,
  type GroupParameters,
  type Share,
  type SigningSuite,
} from '@latchkey/threshold';
import { hexToBytes } from 'viem';
import type { HeldShare, NodeStore } from './node-store.ts';

/** The share of one key. */
type KeyShare = { parameters: GroupParameters; share: Share };
export type LoadedShare = KeyShare & { signing: Record<SigningSuite, KeyShare> };

export type Shares = {
  /**
   * Returns the share of the published group, undefined when this node has none. The first call after a publication replaces
   * and deletes the previous share.
   */
  ofPublished: (parameters: string) => Promise<LoadedShare | undefined>;
};

/** @param store Its shares are checked when they are used for the first time. */
export function createShares(store: NodeStore): Shares {
  let loaded: { held: HeldShare; share: LoadedShare } | undefined;
  const load = (held: HeldShare): LoadedShare => {
    if (loaded?.held !== held) loaded = { held, share: loadShare(held) };
    return loaded.share;
  };
  return {
    async ofPublished(parameters) {
      const { current, next } = store.read();
      if (current?.parameters === parameters) return load(current);
      if (next?.parameters !== parameters) return undefined;
      await store.change((state) => (state.next === next ? { current: next, next: null } : {}));
      return load(next);
    },
  };
}

function loadShare({ identifier, signing, ...evaluation }: HeldShare): LoadedShare {
  const load = ({ parameters: text, secret }: { parameters: string; secret: string }): KeyShare => {
    const parameters = decodeGroupParameters(text);
    const share = { epoch: parameters.epoch, identifier, secret: hexToBytes(`0x${secret}`) };
    checkShare(parameters, share);
    return { parameters, share };
  };
  const loaded = load(evaluation);
  const [ed25519, secp256k1] = signing.map(load);
  if (!ed25519 || !secp256k1) throw new RangeError('the node has no shares of keys to sign with');
  checkSigningParameters(loaded.parameters, [ed25519.parameters, secp256k1.parameters]);
  return { ...loaded, signing: { ed25519, secp256k1 } };
}
