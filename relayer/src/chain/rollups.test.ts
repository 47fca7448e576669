import { ChainUnavailableError, FeesTooHighError, TooMuchGasError } from '@latchkey/chain/errors';
import { dataFeePerByte } from '@latchkey/outbox';
import type { Address } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { accountCall, ETHER, type OutboxFixture, openOutboxFixture } from '../../test/outbox-fixture.ts';

const ORACLE: Address = '0x420000000000000000000000000000000000000F';
const NODE_INTERFACE: Address = '0x00000000000000000000000000000000000000C8';
/** Returns the length of its argument times 10¹⁵: a thousandth of an ether per byte. */
const TAKES_PER_BYTE = '0x602435' + '66038d7ea4c68000' + '0260005260206000f3';
/** Returns 5,000,000 as the first of three words. */
const L1_GAS = '0x624c4b4060005260606000f3';

let fixture: OutboxFixture;
beforeAll(async () => {
  fixture = await openOutboxFixture({ payerCount: 1 });
});
afterEach(async () => {
  for (const address of [ORACLE, NODE_INTERFACE]) await setCode(address, '0x');
});
afterAll(() => fixture[Symbol.asyncDispose]());

const setCode = (address: Address, bytecode: string) =>
  fixture.anvil.client.setCode({ address, bytecode: bytecode as Address });
const setBalance = (value: bigint) =>
  fixture.anvil.client.setBalance({ address: fixture.addresses[0] as Address, value });
/** Another client, which does not remember the chain. */
const newChain = () => ({ ...fixture.chain, client: { ...fixture.chain.client } });
const started = async (options = {}) => {
  const payers = fixture.payers({ chain: newChain(), ...options });
  await payers.start();
  return payers;
};

test('on an OP-stack chain a payer that cannot pay the fee for data sends nothing', async () => {
  await setBalance(ETHER / 10n);
  expect((await (await started()).send(accountCall('no fee'))).status).toBe('success');
  await setCode(ORACLE, TAKES_PER_BYTE);
  expect(await dataFeePerByte(newChain().client)).toBe(10n ** 15n + 1n);
  const payers = await started();
  await expect(payers.send(accountCall('poor'))).rejects.toThrow(ChainUnavailableError);
  await setBalance(10n * ETHER);
  expect((await (await started()).send(accountCall('rich'))).status).toBe('success');
});

test('a chain without a fee for data is asked once', async () => {
  const { client } = newChain();
  expect(await dataFeePerByte(client)).toBe(0n);
  const asked = vi.spyOn(client, 'call');
  expect(await dataFeePerByte(client)).toBe(0n);
  expect(asked).not.toHaveBeenCalled();
});

test('on Arbitrum a write whose gas is above the limit only for L1 waits, and is not too large', async () => {
  const payers = await started({ maxWriteGas: 1_000 });
  await expect(payers.send(accountCall('large'))).rejects.toThrow(TooMuchGasError);
  await setCode(NODE_INTERFACE, L1_GAS);
  await expect(payers.send(accountCall('large'))).rejects.toThrow(FeesTooHighError);
});
