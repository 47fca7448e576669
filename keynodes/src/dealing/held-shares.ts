/** The shares of all keys, as a dealing has them and as the node stores them. */
import {
  decodeGroupParameters,
  encodeGroupParameters,
  type JointState,
  jointOutcome,
  type Share,
} from '@latchkey/threshold';
import { bytesToHex, hexToBytes } from 'viem';
import type { HeldShare } from '../node-store.ts';

/** SECRET. Returns the shares of a node, in the order of the suites. */
export function sharesOf({ parameters, identifier, secret, signing }: HeldShare): Share[] {
  const { epoch } = decodeGroupParameters(parameters);
  const secrets = [secret, ...signing.map((key) => key.secret)];
  return secrets.map((hex) => ({ epoch, identifier, secret: hexToBytes(`0x${hex}`) }));
}

/** SECRET. Returns the new shares of a node, null before the dealing has them and for a node that gets none. */
export function heldShare(state: JointState): HeldShare | null {
  const outcome = jointOutcome(state);
  const [own, ...others] = outcome?.shares ?? [];
  if (!outcome || !own) return null;
  const secretOf = ({ secret }: Share): string => bytesToHex(secret).slice(2);
  return {
    parameters: encodeGroupParameters(outcome.published),
    identifier: own.identifier,
    secret: secretOf(own),
    signing: outcome.signing.flatMap((parameters, i) => {
      const share = others[i];
      return share ? { parameters: encodeGroupParameters(parameters), secret: secretOf(share) } : [];
    }),
  };
}
