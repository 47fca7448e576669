/**
 * The file of the root secret: JSON, mode 0600, the secret encrypted with AES-256-GCM under a key of the passphrase, with
 * a salt of 16 bytes and a nonce of 12 bytes.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { decrypt, encrypt, NONCE_BYTES } from '@latchkey/service/aes-gcm';
import { type DeriveKey, passphraseKey } from '@latchkey/service/passphrase-key';
import { z } from 'zod';

const VERSION = 1;
const SECRET_BYTES = 32;
const TAG_BYTES = 16;
const ASSOCIATED_DATA = Buffer.from('latchkey/root-secret/v1');

const hexSchema = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
const fileSchema = z.strictObject({
  version: z.literal(VERSION),
  salt: hexSchema(16),
  nonce: hexSchema(12),
  sealed: hexSchema(SECRET_BYTES + TAG_BYTES),
  /** Distinguishes a damaged file from a wrong passphrase. Not a security check. */
  checksum: hexSchema(32),
});
type RootSecretFile = z.infer<typeof fileSchema>;

export type RootSecretOptions = {
  /** Created, with its directory, when it does not exist. */
  path: string;
  passphrase: string;
  /** The passphrase is known: the secret belongs to a disposable chain. */
  isPublic: boolean;
};

export class RootSecretError extends Error {
  override readonly name = 'RootSecretError';
}

/**
 * Reads the root secret; creates the file first when it is missing. When several processes start concurrently, one
 * creates the file and all read it. An existing file is never written.
 */
export const loadOrCreateRootSecret = async ({
  path,
  passphrase,
  isPublic,
}: RootSecretOptions): Promise<Uint8Array> => {
  if (passphrase === '')
    throw new RootSecretError('the passphrase of the root secret is empty: set ROOT_SECRET_PASSPHRASE');
  const derive = passphraseKey(passphrase, { isPublic });
  const present = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!present) await create(path, await sealSecret(randomBytes(SECRET_BYTES), derive));
  const secret = await openSecret(await read(path), derive);
  if (!secret)
    throw new RootSecretError(`the passphrase does not open ${path}: check ROOT_SECRET_PASSPHRASE`);
  return secret;
};

const create = async (path: string, content: RootSecretFile): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    await using handle = await open(temporary, 'wx', 0o600);
    await handle.writeFile(`${JSON.stringify(content, null, 2)}\n`);
    await handle.sync();
    // Unlike a rename, a hard link fails when the name is taken.
    await link(temporary, path);
    await using directory = await open(dirname(path), 'r');
    await directory.sync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(temporary).catch(() => {});
  }
};

const read = async (path: string): Promise<RootSecretFile> => {
  const { mode } = await stat(path);
  if (mode & 0o077) throw new RootSecretError(`${path} is accessible to other users: run chmod 600 on it`);
  const damaged = new RootSecretError(
    `${path} is damaged or not a root secret of version ${VERSION}: restore a copy`,
  );
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw error instanceof SyntaxError ? damaged : error;
  }
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success || computeChecksum(parsed.data) !== parsed.data.checksum) throw damaged;
  return parsed.data;
};

const computeChecksum = ({ version, salt, nonce, sealed }: Omit<RootSecretFile, 'checksum'>): string =>
  createHash('sha256').update(`${version}|${salt}|${nonce}|${sealed}`).digest('hex');

const sealSecret = async (secret: Uint8Array, derive: DeriveKey): Promise<RootSecretFile> => {
  const salt = randomBytes(16);
  const bytes = encrypt(await derive(salt), secret, ASSOCIATED_DATA);
  const content = {
    version: VERSION,
    salt: salt.toString('hex'),
    nonce: bytes.subarray(0, NONCE_BYTES).toString('hex'),
    sealed: bytes.subarray(NONCE_BYTES).toString('hex'),
  } as const;
  return { ...content, checksum: computeChecksum(content) };
};

/** Returns the secret, undefined when the key does not open it. */
const openSecret = async (content: RootSecretFile, derive: DeriveKey): Promise<Uint8Array | undefined> => {
  const key = await derive(Buffer.from(content.salt, 'hex'));
  try {
    return new Uint8Array(decrypt(key, Buffer.from(content.nonce + content.sealed, 'hex'), ASSOCIATED_DATA));
  } catch {
    return undefined;
  }
};
