import { describe, expect, test, vi } from 'vitest';
import {
  ChainUnavailableError,
  ContractRevertError,
  MinedRevertError,
  UnsettledTransactionError,
} from '../../chain/errors.ts';
import { openAccount } from './open-account.ts';

function start() {
  const gas = { spent: vi.fn(), unspent: vi.fn() };
  const giveStarterCredit = vi.fn(async () => {});
  const open = (write: () => Promise<{ gasUsed: bigint; account: bigint }>) =>
    openAccount(
      { newAccounts: { admit: async () => gas, challenge: () => expect.unreachable() }, giveStarterCredit },
      { ip: '192.0.2.1', headers: {}, requestId: 'one', write },
    );
  return { gas, giveStarterCredit, open };
}

test('counts the gas of the receipt and gives the starter credit', async () => {
  const { gas, giveStarterCredit, open } = start();
  await open(async () => ({ gasUsed: 300_000n, account: 7n }));
  expect(gas.spent).toHaveBeenCalledExactlyOnceWith(300_000n);
  expect(gas.unspent).not.toHaveBeenCalled();
  expect(giveStarterCredit).toHaveBeenCalledExactlyOnceWith(7n);
});

describe('the gas of a failed opening', () => {
  test.each([
    ['counts', 'reverts on the chain', new MinedRevertError('0x')],
    ['counts', 'is not settled', new UnsettledTransactionError('not mined')],
    ['does not count', 'is refused by its simulation', new ContractRevertError('0x')],
    ['does not count', 'does not reach the chain', new ChainUnavailableError('down')],
  ])('%s when it %s', async (outcome, _what, error) => {
    const { gas, giveStarterCredit, open } = start();
    await expect(open(() => Promise.reject(error))).rejects.toBe(error);
    expect(gas.unspent).toHaveBeenCalledTimes(outcome === 'counts' ? 0 : 1);
    for (const other of [gas.spent, giveStarterCredit]) expect(other).not.toHaveBeenCalled();
  });
});
