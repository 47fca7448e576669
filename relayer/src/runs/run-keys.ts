/** The source of the keys of a run. */
import { ActionError } from '@latchkey/runner-protocol';
import type { Database } from '../db/database.ts';
import { readSecret } from '../db/secrets.ts';
import { hashText } from '../db/text.ts';
import type { ActionKeys } from '../keys/action-keys.ts';
import type { KeyNodes } from '../keys/key-nodes.ts';
import { KeyNodesUnavailableError } from '../runners/errors.ts';
import type { RunKeySource } from '../runners/key-answers.ts';

type KeysOfRun = { account: bigint; hash: bigint; cid: string; runId: string; minBlock: bigint };
type Sources = { actionKeys: ActionKeys; db: Database; keyNodes: KeyNodes };

/** Returns the source, and the outage when the nodes did not give a key. The nodes ask the contract themselves for each key. */
export function openRunKeys(
  { actionKeys: { certificateOf }, db, keyNodes }: Sources,
  { account, hash, cid, runId, minBlock }: KeysOfRun,
): { keys: RunKeySource; outage: () => KeyNodesUnavailableError | undefined } {
  let outage: KeyNodesUnavailableError | undefined;
  const isOwn: Parameters<KeyNodes['askFor']>[0] = ({ purpose, run }) =>
    purpose.kind === 'nonces' ||
    ('cid' in purpose && purpose.cid === cid && BigInt(purpose.usageKeyHash) === hash && run === runId);
  const onOutage = (message: string): void => {
    outage = new KeyNodesUnavailableError(message);
  };
  /** The versions whose read is recorded, by name. */
  const recorded = new Map<string, number[]>();
  const readOne: RunKeySource['secretOf'] = async (name, version) => {
    const ofName = recorded.get(name) ?? [];
    const reader = { caller: hashText(hash), cid, runId, recorded: ofName };
    const found = await readSecret(db, { account: hashText(account), name }, version, reader);
    if (found) {
      if (!ofName.includes(found.version)) recorded.set(name, [...ofName, found.version]);
      return found;
    }
    const wanted = version === undefined ? `the secret ${name}` : `version ${version} of the secret ${name}`;
    throw new ActionError('SecretError', `the account does not have ${wanted}: set it with setSecret`);
  };
  let last: Promise<unknown> = Promise.resolve();
  // One after another, so that each version is recorded once per run.
  const secretOf: RunKeySource['secretOf'] = (name, version) => {
    const reading = last.then(() => readOne(name, version));
    last = reading.catch(() => {});
    return reading;
  };
  return {
    keys: { nodes: keyNodes.askFor(isOwn, minBlock), runId, onOutage, certificateOf, secretOf },
    outage: () => outage,
  };
}
