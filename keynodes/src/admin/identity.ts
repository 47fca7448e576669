/** Public keys of the seeds by which key nodes know their operator, relayers and runners. */
import { randomBytes } from 'node:crypto';
import { createIdentity } from '@latchkey/key-protocol';
import { defineSettings, hex32 } from '@latchkey/service/settings';
import { z } from 'zod';
import { CommandError } from './errors.ts';

/** By seed, the setting of key nodes that takes its public key. */
const settings = {
  OPERATOR_SEED: 'OPERATOR_KEY',
  RELAYER_IDENTITY: 'RELAYER_KEYS',
  RUNNER_IDENTITY: 'RUNNER_KEYS',
} as const;
type SeedName = keyof typeof settings;
const seedNames = Object.keys(settings) as SeedName[];

const { take } = defineSettings({
  schema: z.object({
    OPERATOR_SEED: hex32.optional(),
    RELAYER_IDENTITY: hex32.optional(),
    RUNNER_IDENTITY: hex32.optional(),
  }),
  secrets: seedNames,
  configFrom: (env) => env,
});

/** Prints the settings of key nodes for the seeds in the environment. Throws `CommandError` when there is none. */
export function printIdentities(print: (line: string) => void): void {
  const seeds = take();
  const lines = seedNames.flatMap((name) => {
    const seed = seeds[name];
    return seed === undefined ? [] : [`${settings[name]}=${createIdentity(seed).publicKey}`];
  });
  if (lines.length === 0)
    throw new CommandError(`set ${seedNames.join(', ')} or their _FILE: --new makes a seed`);
  for (const line of lines) print(line);
}

/** Prints a new seed with its public key. */
export function printNewIdentity(print: (line: string) => void): void {
  const seed = randomBytes(32).toString('hex');
  print(`SECRET seed: ${seed}`);
  print(`public key:  ${createIdentity(seed).publicKey}`);
}
