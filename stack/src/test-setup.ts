/**
 * Vitest global setup: one stack for all tests that need one, on free ports and an empty data directory. A test gets it
 * by `inject('stack')`. STACK_LOG=1 shows the output of its parts.
 */
import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { format } from './output.ts';
import { type Stack, startStack } from './stack.ts';
import { temporaryDataDir } from './temporary-data-dir.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    stack: Omit<Stack, 'failed' | 'close' | typeof Symbol.asyncDispose>;
  }
}

/** Raised limits: tests open more accounts, mint, approve, pay and pair more from one address than a user may. */
export const testEnvironment = {
  NEW_ACCOUNTS_PER_MINUTE: '100000',
  NEW_ACCOUNT_GAS_PER_HOUR: '1000000000000',
  SIGNED_MINTS_PER_MINUTE: '1000000',
  APPROVAL_DECISIONS_PER_MINUTE: '1000000',
  UNKNOWN_KEYS_PER_MINUTE: '1000000',
  PAYMENT_REQUESTS_PER_MINUTE: '100000',
  STARTER_CREDIT_CENTS: '100000',
  WEBHOOKS_PER_MINUTE_PER_ADDRESS: '100000',
  LOGINS_PER_MINUTE_PER_ADDRESS: '100000',
  PAIRINGS_PER_MINUTE_PER_ADDRESS: '100000',
  UNKNOWN_TOKENS_PER_MINUTE_PER_ADDRESS: '1000000',
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await temporaryDataDir();
  const isShown = process.env.STACK_LOG === '1';
  const stack = await startStack({
    dataDir,
    env: testEnvironment,
    isTemporary: true,
    onOutput: (output) => {
      if (isShown) process.stderr.write(format(output, process.stderr));
    },
  });
  const { failed, close, [Symbol.asyncDispose]: _, ...values } = stack;
  // Without this message each remaining test would only fail with a connection error.
  void failed.then((error) => console.error(error.message));
  project.provide('stack', values);
  return async () => {
    await close();
    await rm(dataDir, { recursive: true, force: true });
  };
}
