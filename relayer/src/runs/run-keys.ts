/** The source of the keys of a run. */
import type { ActionKeys } from '../keys/action-keys.ts';
import type { KeyNodes } from '../keys/key-nodes.ts';
import { KeyNodesUnavailableError } from '../runners/errors.ts';
import type { RunKeySource } from '../runners/key-answers.ts';

type KeysOfRun = { hash: bigint; cid: string; runId: string; minBlock: bigint };
type Sources = { actionKeys: ActionKeys; keyNodes: KeyNodes };

/** Returns the source, and the outage when the nodes did not give a key. The nodes ask the contract themselves for each key. */
export function openRunKeys(
  { actionKeys: { certificateOf }, keyNodes }: Sources,
  { hash, cid, runId, minBlock }: KeysOfRun,
): { keys: RunKeySource; outage: () => KeyNodesUnavailableError | undefined } {
  let outage: KeyNodesUnavailableError | undefined;
  const isOwn: Parameters<KeyNodes['askFor']>[0] = ({ purpose, run }) =>
    purpose.kind === 'nonces' ||
    ('cid' in purpose && purpose.cid === cid && BigInt(purpose.usageKeyHash) === hash && run === runId);
  const onOutage = (message: string): void => {
    outage = new KeyNodesUnavailableError(message);
  };
  return {
    keys: { nodes: keyNodes.askFor(isOwn, minBlock), runId, onOutage, certificateOf },
    outage: () => outage,
  };
}
