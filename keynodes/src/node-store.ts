/** The sealed file of a key node: its identity and its shares. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { FileError } from '@latchkey/service/files';
import type { DeriveKey } from '@latchkey/service/passphrase-key';
import { createSealer, SealError, type Sealer, sealingKey } from '@latchkey/service/sealer';
import { z } from 'zod';
import { storedDealing } from './dealing/stored-dealing.ts';
import { takeOver } from './files.ts';

const VERSION = 2;
const CONTEXT = 'key-node-state/v1';
const SALT_BYTES = 16;

const file = z.strictObject({
  version: z.literal(VERSION),
  salt: z.hex().length(2 * SALT_BYTES),
  sealed: z.string(),
  /** Random value of the process that has the file. */
  fence: z.string().optional(),
});

const heldShare = z.strictObject({
  /** Canonical text of the group's parameters. */
  parameters: z.string(),
  identifier: z.int().positive(),
  /** SECRET, hexadecimal. */
  secret: z.hex().length(64),
  /** The shares of the keys to sign with, in the order of the suites. SECRET. */
  signing: z.array(z.strictObject({ parameters: z.string(), secret: z.hex().length(64) })).length(2),
});
export type HeldShare = z.infer<typeof heldShare>;

const nodeState = z.strictObject({
  /** SECRET. Seed of the node's Ed25519 key. */
  identity: z.hex().length(64),
  /** The share of the published group, null before the first one. */
  current: heldShare.nullable(),
  /** The share of a group that this node has confirmed, until it is published. */
  next: heldShare.nullable(),
  /** The dealing of this node, until its group is published. SECRET. */
  dealing: storedDealing.nullable(),
  /** The identity was made in an enclave, and its file was never sealed by another key. */
  isBornInEnclave: z.literal(true).optional(),
});
/** SECRET. */
export type NodeState = z.infer<typeof nodeState>;

export type NodeStore = {
  read: () => NodeState;
  /** Replaces members of the state; resolves when the change is on disk. Changes follow each other. */
  change: (members: (state: NodeState) => Partial<NodeState>) => Promise<void>;
};

/**
 * Opens the store in a private directory; creates it, with a new identity, when there is none. A file that only one of the other keys
 * opens is sealed again with the first key. In an enclave, opens only a file that was made there. A process that had the store before
 * can no longer change it.
 */
export async function openNodeStore(
  directory: string,
  [first, ...others]: [DeriveKey, ...DeriveKey[]],
  { isEnclave = false } = {},
): Promise<NodeStore> {
  const path = join(directory, 'node.json');
  let salt = randomBytes(SALT_BYTES);
  let sealer: Sealer;
  let state = newState(isEnclave);
  const content = () => ({
    version: VERSION,
    salt: salt.toString('hex'),
    sealed: sealer.seal(JSON.stringify(state), CONTEXT),
  });
  const owned = await takeOver(path, file, async (present) => {
    if (present) salt = Buffer.from(present.salt, 'hex');
    const keyOf = async (derive: DeriveKey) => sealingKey(await derive(salt));
    const current = await keyOf(first);
    sealer = createSealer([current]);
    if (present && !sealer.isCurrent(present.sealed))
      sealer = createSealer([current, ...(await Promise.all(others.map(keyOf)))]);
    if (present) state = unseal(sealer, present.sealed, path, isEnclave);
    if (isEnclave && !state.isBornInEnclave) throw notFromEnclave(path);
    return content();
  });
  let written = Promise.resolve();
  return {
    read: () => state,
    change(members) {
      const next = written.then(async () => {
        const before = state;
        state = { ...state, ...members(state) };
        await owned.replace(content()).catch((error: unknown) => {
          state = before;
          throw error;
        });
      });
      written = next.catch(() => {});
      return next;
    },
  };
}

const newState = (isEnclave: boolean): NodeState => ({
  identity: randomBytes(32).toString('hex'),
  current: null,
  next: null,
  dealing: null,
  ...(isEnclave && { isBornInEnclave: true }),
});

/** A party that knows the passphrase of a file can use its identity and share outside the enclave. */
const notFromEnclave = (path: string): FileError =>
  new FileError(
    `${path} was not made in this enclave, or a passphrase has sealed it: a node does not move into an enclave with its file. ` +
      'Start with an empty KEYNODE_DATA_DIR, then "npm run keys -- reshare" replaces the old node by the new identity',
  );

function unseal(sealer: Sealer, sealed: string, path: string, isEnclave: boolean): NodeState {
  try {
    return nodeState.parse(JSON.parse(sealer.openText(sealed, CONTEXT)));
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause;
    if (isEnclave) throw notFromEnclave(path);
    throw new FileError(
      `${path} does not open: check KEYNODE_PASSPHRASE or DSTACK_SOCKET, or restore a copy of the file`,
    );
  }
}
