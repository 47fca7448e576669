/**
 * Policies modelled on what the public documentation of other wallet services describes, each with requests and their verdicts. The
 * policies are written in this language: `topic` says which rule of the other service they express.
 */
import { cdp } from './peers/cdp.ts';
import type { PeerPolicy } from './peers/peer-policy.ts';
import { privy } from './peers/privy.ts';
import { turnkey } from './peers/turnkey.ts';

export const peerPolicies: PeerPolicy[] = [...turnkey, ...privy, ...cdp];
