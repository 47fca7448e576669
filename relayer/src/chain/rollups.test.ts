import { ChainUnavailableError, FeesTooHighError, TooMuchGasError } from '@latchkey/chain/errors';
import { readExtraFees } from '@latchkey/outbox';
import { disposeAfterAll } from '@latchkey/testing/dispose-after-all';
import type { Address } from 'viem';
import { afterEach, expect, test, vi } from 'vitest';
import { connectToLiar, type Lie } from '../../test/lying-node.ts';
import { accountCall, ETHER, openOutboxFixture } from '../../test/outbox-fixture.ts';

const ORACLE: Address = '0x420000000000000000000000000000000000000F';
const NODE_INTERFACE: Address = '0x00000000000000000000000000000000000000C8';
/** Returns the length of its argument times 10¹⁵: a thousandth of an ether per byte. */
const TAKES_PER_BYTE = '0x602435' + '66038d7ea4c68000' + '0260005260206000f3';
/** The function of the oracle that tells the fee of the operator, and one that returns 0 to all others. */
const IF_OPERATOR_FEE = '0x5f3560e01c63275aedd2146015575f5f5260205ff35b';
/** Returns a gwei per gas and a tenth of an ether. */
const TAKES_PER_GAS = `${IF_OPERATOR_FEE}600435633b9aca000267016345785d8a0000015f5260205ff3`;
const REVERTS = `${IF_OPERATOR_FEE}5f5ffd`;
const none = { perByteWei: 0n, perGasWei: 0n, perTransactionWei: 0n };
/** Returns 5,000,000 as the first of three words. */
const L1_GAS = '0x624c4b4060005260606000f3';

const fixture = disposeAfterAll(await openOutboxFixture({ payerCount: 1 }));
afterEach(async () => {
  for (const address of [ORACLE, NODE_INTERFACE]) await setCode(address, '0x');
});

const setCode = (address: Address, bytecode: string) =>
  fixture.anvil.client.setCode({ address, bytecode: bytecode as Address });
const setBalance = (value: bigint) =>
  fixture.anvil.client.setBalance({ address: fixture.addresses[0] as Address, value });
/** The same chain, which no reader remembers. */
const newChain = () => ({ ...fixture.chain });
const started = async (options = {}) => {
  const payers = fixture.payers({ chain: newChain(), ...options });
  await payers.start();
  return payers;
};

test('on an OP-stack chain a payer that cannot pay the fee for data sends nothing', async () => {
  await setBalance(ETHER / 10n);
  expect((await (await started()).send(accountCall('no fee'))).status).toBe('success');
  await setCode(ORACLE, TAKES_PER_BYTE);
  expect(await readExtraFees(newChain())).toEqual({ ...none, perByteWei: 10n ** 15n + 1n });
  const payers = await started();
  await expect(payers.send(accountCall('poor'))).rejects.toThrow(ChainUnavailableError);
  await setBalance(10n * ETHER);
  expect((await (await started()).send(accountCall('rich'))).status).toBe('success');
});

test('since Isthmus a payer that cannot pay the fee of the operator sends nothing', async () => {
  await setCode(ORACLE, TAKES_PER_GAS);
  const perTransactionWei = ETHER / 10n;
  expect(await readExtraFees(newChain())).toEqual({
    perByteWei: 1n,
    perGasWei: 10n ** 9n,
    perTransactionWei,
  });
  await setBalance(ETHER / 10n);
  await expect((await started()).send(accountCall('poor operator'))).rejects.toThrow(ChainUnavailableError);
  await setBalance(ETHER);
  expect((await (await started()).send(accountCall('rich operator'))).status).toBe('success');
});

test.each([
  ['invents', '0x', `0x${'11'.repeat(32)}`, 0n],
  ['hides', TAKES_PER_BYTE, '0x', 10n ** 15n + 1n],
])('a fee that one node of three %s changes nothing', async (_how, code, told, perByteWei) => {
  await setCode(ORACLE, code);
  const lie: Lie = ({ method }, result) => (method === 'eth_call' ? told : result);
  await using connected = await connectToLiar(fixture.anvil.url, lie, 2);
  expect(await readExtraFees(connected.chain)).toEqual({ ...none, perByteWei });
});

test('an oracle of before Isthmus has no fee of the operator', async () => {
  await setCode(ORACLE, REVERTS);
  expect(await readExtraFees(newChain())).toEqual({ ...none, perByteWei: 1n });
});

test('a chain without a fee for data is asked once', async () => {
  const chain = newChain();
  expect(await readExtraFees(chain)).toEqual(none);
  const asked = vi.spyOn(chain, 'heldByTwo');
  expect(await readExtraFees(chain)).toEqual(none);
  expect(asked).not.toHaveBeenCalled();
});

test('on Arbitrum a write whose gas is above the limit only for L1 waits, and is not too large', async () => {
  const payers = await started({ maxWriteGas: 1_000 });
  await expect(payers.send(accountCall('large'))).rejects.toThrow(TooMuchGasError);
  await setCode(NODE_INTERFACE, L1_GAS);
  await expect(payers.send(accountCall('large'))).rejects.toThrow(FeesTooHighError);
});
