import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cidOf } from '@latchkey/protocol';
import { expect, test } from 'vitest';
import { useWalletCid, useWalletCode } from './generated/use-wallet.ts';

test('the package contains the standard action and its CID: run `npm run generate -w packages/viem`', async () => {
  const file = join(import.meta.dirname, '../../../actions/use-wallet.js');
  expect(useWalletCode).toBe(readFileSync(file, 'utf8'));
  expect(useWalletCid).toBe(await cidOf(useWalletCode));
});
