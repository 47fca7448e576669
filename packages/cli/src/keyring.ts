/** The keyring of the system: Keychain, Credential Manager or Secret Service. */
const SERVICE = 'latchkey';

/** Returns the entry of a profile; undefined without a keyring. */
async function entryOf(profile: string) {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring');
    // NOTE: by default the library falls back to the keyring of the Linux kernel, which a restart of the machine empties.
    return new AsyncEntry(SERVICE, profile, { linux: { store: 'secret-service' } });
  } catch {
    // There is no Secret Service, or no package: it is optional, because it has no build for every platform.
    return undefined;
  }
}

/** Resolves to false where the keyring cannot be used. */
export async function writeKeyring(profile: string, text: string): Promise<boolean> {
  try {
    const entry = await entryOf(profile);
    // A keyring that cannot be read may have other keys: this throws, and nothing is replaced.
    await entry?.getPassword();
    await entry?.setPassword(text);
    return (await entry?.getPassword()) === text;
  } catch {
    return false;
  }
}

export async function readKeyring(profile: string): Promise<string | undefined> {
  try {
    return (await (await entryOf(profile))?.getPassword()) ?? undefined;
  } catch {
    return undefined;
  }
}

export async function removeFromKeyring(profile: string): Promise<void> {
  await (await entryOf(profile))?.deletePassword();
}
