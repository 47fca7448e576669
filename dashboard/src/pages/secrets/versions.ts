import type { SecretItem } from '@latchkey/sdk';

export const secretsKey = ['secrets'];

/** Of one secret, newest first. */
export type Versions = readonly [SecretItem, ...SecretItem[]];

/** Groups a list that is sorted by name. */
export function versionsByName(secrets: readonly SecretItem[]): Versions[] {
  const byName = new Map<string, [SecretItem, ...SecretItem[]]>();
  for (const secret of secrets) {
    const versions = byName.get(secret.name);
    if (versions) versions.push(secret);
    else byName.set(secret.name, [secret]);
  }
  return [...byName.values()];
}
