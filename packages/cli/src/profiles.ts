/** Profiles: the services and keys of an account under a name, in a file that only its user can read. */
import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { configPath, makePrivateFolder, readPrivate, writePrivate } from '@latchkey/command/private-files';
import { z } from 'zod';
import { CommandError } from './errors.ts';
import { readKeyring, removeFromKeyring, writeKeyring } from './keyring.ts';

const secretsSchema = z.strictObject({
  accountKey: z.string().optional(),
  usageKey: z.string().optional(),
  /** Of the admin wallet. */
  privateKey: z.string().optional(),
});
export type Secrets = z.infer<typeof secretsSchema>;

const hexText = (digits: number) =>
  z.templateLiteral(['0x', z.string().regex(RegExp(`^[0-9a-fA-F]{${digits}}$`))]);
const walletSchema = z.strictObject({
  address: hexText(40),
  signer: z.enum(['browser', 'key']),
  /** The contract that the relayer named at the login. The wallet signs for no other. */
  contractAddress: hexText(40),
  chainId: z.number(),
  rpcUrl: z.string(),
  indexerUrl: z.string().optional(),
});

const profileSchema = z.strictObject({
  url: z.string(),
  triggersUrl: z.string().optional(),
  /** Present in ChainSecured mode. */
  wallet: walletSchema.optional(),
  store: z.enum(['keyring', 'file']),
  /** With the store `file`. */
  secrets: secretsSchema.optional(),
});
export type Profile = z.infer<typeof profileSchema>;

const fileSchema = z.strictObject({ current: z.string(), profiles: z.record(z.string(), profileSchema) });
type ProfileFile = z.infer<typeof fileSchema>;

export const profilesPath = (): string => configPath('profiles.json');

export async function readProfiles(): Promise<ProfileFile> {
  const path = profilesPath();
  const text = await readPrivate(path);
  if (text === undefined) return { current: 'default', profiles: {} };
  const parsed = fileSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new CommandError(`${path} is not a file of profiles`, 'Move it away, and log in again.');
}

/** The text of a syntax error would have a part of the file. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Resolves to false for a file that exists. */
async function createNew(path: string): Promise<boolean> {
  try {
    await writeFile(path, '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Makes a change while no other process makes one: it would be lost. */
async function alone<Value>(change: () => Promise<Value>): Promise<Value> {
  await makePrivateFolder(profilesPath());
  const lock = `${profilesPath()}.lock`;
  const end = Date.now() + 5_000;
  while (!(await createNew(lock))) {
    if (Date.now() > end)
      throw new CommandError(
        'another latchkey is changing the profiles',
        `When none is running, remove ${lock}.`,
      );
    await sleep(50);
  }
  try {
    return await change();
  } finally {
    await rm(lock, { force: true });
  }
}

const writeProfiles = (content: ProfileFile): Promise<void> =>
  writePrivate(profilesPath(), `${JSON.stringify(content, null, 2)}\n`);

/** Stores a new profile with its secrets: in the keyring, or in the file where there is none. */
export function saveProfile(
  name: string,
  profile: Omit<Profile, 'store' | 'secrets'>,
  secrets: Secrets,
  store?: Profile['store'],
): Promise<Profile['store']> {
  return alone(async () => {
    await requireFree(name, store);
    return writeProfile(name, profile, secrets, store);
  });
}

async function writeProfile(
  name: string,
  profile: Omit<Profile, 'store' | 'secrets'>,
  secrets: Secrets,
  store?: Profile['store'],
): Promise<Profile['store']> {
  const content = await readProfiles();
  const isStored = store !== 'file' && (await writeKeyring(name, JSON.stringify(secrets)));
  if (store === 'keyring' && !isStored)
    throw new CommandError('the keyring of this system cannot be used', 'Choose the file: --store file.');
  const saved: Profile = isStored ? { ...profile, store: 'keyring' } : { ...profile, store: 'file', secrets };
  const current = Object.hasOwn(content.profiles, content.current) ? content.current : name;
  await writeProfiles({ current, profiles: { ...content.profiles, [name]: saved } });
  return saved.store;
}

export async function readSecrets(name: string, profile: Profile): Promise<Secrets> {
  if (profile.store === 'file') return profile.secrets ?? {};
  const text = await readKeyring(name);
  if (text === undefined)
    throw new CommandError(
      `the keyring is locked, or has no keys of the profile "${name}"`,
      `Unlock it. When the keys are lost, run latchkey logout ${name} and log in again.`,
    );
  return secretsSchema.parse(JSON.parse(text));
}

/** Throws when there are keys under the name of a new profile: they would be lost. */
export async function requireFree(name: string, store?: Profile['store']): Promise<void> {
  const { profiles } = await readProfiles();
  if (Object.hasOwn(profiles, name))
    throw new CommandError(
      `the profile "${name}" exists`,
      `Name another one with --profile, or remove it with latchkey logout ${name}.`,
    );
  // All folders of profiles have one keyring.
  if (store !== 'file' && (await readKeyring(name)) !== undefined)
    throw new CommandError(
      `the keyring has keys of another profile "${name}"`,
      'Name another one with --profile, or choose --store file.',
    );
}

/** Replaces some keys of a profile. Keys of the environment are not stored. */
export function changeSecrets(
  name: string,
  changed: Secrets,
  services: Partial<Omit<Profile, 'store' | 'secrets'>> = {},
): Promise<Profile['store']> {
  return alone(async () => {
    const found = requireProfile(await readProfiles(), name);
    const secrets = await readSecrets(name, found);
    const { store, secrets: _stored, ...profile } = found;
    return writeProfile(name, { ...profile, ...services }, { ...secrets, ...changed }, store);
  });
}

export function useProfile(name: string): Promise<void> {
  return alone(async () => {
    const content = await readProfiles();
    requireProfile(content, name);
    await writeProfiles({ ...content, current: name });
  });
}

export function removeProfile(name: string): Promise<void> {
  return alone(async () => {
    const content = await readProfiles();
    const { store } = requireProfile(content, name);
    if (store === 'keyring')
      await removeFromKeyring(name).catch((error: Error) => {
        throw new CommandError(
          `the keyring still has the keys: ${error.message}`,
          'Unlock it, and try again.',
        );
      });
    const { [name]: _removed, ...profiles } = content.profiles;
    await writeProfiles({ ...content, profiles });
  });
}

function requireProfile({ profiles }: ProfileFile, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile) return profile;
  throw new CommandError(`there is no profile "${name}"`, 'See latchkey profiles list.');
}
