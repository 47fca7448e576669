import {
  ChainUnavailableError,
  ContractRevertError,
  MinedRevertError,
  UnsettledTransactionError,
} from '@latchkey/chain/errors';
import { createLogger } from '@latchkey/service/logger';
import { describe, expect, test, vi } from 'vitest';
import { openAccount } from './open-account.ts';

function start() {
  const settle = vi.fn(async (_gas: bigint) => {});
  const giveStarterCredit = vi.fn(async () => {});
  const open = (write: () => Promise<{ gasUsed: bigint; account: bigint }>) =>
    openAccount(
      {
        newAccounts: { admit: async () => ({ settle }), challenge: () => expect.unreachable() },
        giveStarterCredit,
        log: createLogger({ name: 'test', level: 'silent' }),
      },
      { ip: '192.0.2.1', headers: {}, requestId: 'one', write },
    );
  return { settle, giveStarterCredit, open };
}

test('counts the gas of the receipt and gives the starter credit, also when the count fails', async () => {
  const { settle, giveStarterCredit, open } = start();
  settle.mockRejectedValueOnce(new Error('down'));
  const opened = { gasUsed: 300_000n, account: 7n };
  expect(await open(async () => opened)).toBe(opened);
  expect(settle).toHaveBeenCalledExactlyOnceWith(300_000n);
  expect(giveStarterCredit).toHaveBeenCalledExactlyOnceWith(7n);
});

describe('the gas of a failed opening', () => {
  test.each([
    ['counts', 'reverts on the chain', new MinedRevertError('0x', 1n)],
    ['counts', 'is not settled', new UnsettledTransactionError('not mined')],
    ['does not count', 'is refused by its simulation', new ContractRevertError('0x')],
    ['does not count', 'does not reach the chain', new ChainUnavailableError('down')],
  ])('%s when it %s', async (outcome, _what, error) => {
    const { settle, giveStarterCredit, open } = start();
    await expect(open(() => Promise.reject(error))).rejects.toBe(error);
    expect(settle.mock.calls).toEqual(outcome === 'counts' ? [] : [[0n]]);
    expect(giveStarterCredit).not.toHaveBeenCalled();
  });
});
