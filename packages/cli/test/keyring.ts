/** A keyring in the folder KEYRING, in the place of that of the system: for `node --import`. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@napi-rs/keyring'
      ? { url: import.meta.url, shortCircuit: true }
      : next(specifier, context),
});

export class AsyncEntry {
  readonly #path: string;

  constructor(service: string, name: string) {
    this.#path = join(process.env.KEYRING ?? '', `${service}-${name}`);
  }

  async getPassword(): Promise<string | null> {
    const text = existsSync(this.#path) ? readFileSync(this.#path, 'utf8') : null;
    if (text === 'locked') throw new Error('the keyring is locked');
    return text;
  }

  async setPassword(text: string): Promise<void> {
    writeFileSync(this.#path, text);
  }

  async deletePassword(): Promise<boolean> {
    rmSync(this.#path, { force: true });
    return true;
  }
}
