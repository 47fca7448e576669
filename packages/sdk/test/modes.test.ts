/** One table of steps through every mode and every source of lists: same names, same parameters, same outcomes. */
import { isApiKey } from '@latchkey/protocol';
import { verifyMessage, zeroAddress } from 'viem';
import { describe, expect, test } from 'vitest';
import {
  type ApiClient,
  type ChainSecuredClient,
  cidHash,
  usageKeyHash,
  verifyReceipt,
} from '../src/index.ts';
import { newApiClient, newChainSecuredClient, payByCard, stack } from './clients.ts';

const code = `async function main({ pkpId, message }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage(message);
}`;
const otherCid = 'QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o';

const modes: [string, boolean, () => Promise<ApiClient | ChainSecuredClient>][] = [
  ['API mode', true, newApiClient],
  ['ChainSecured mode, lists from the indexer', true, () => newChainSecuredClient('indexer')],
  ['ChainSecured mode, lists from the chain', false, () => newChainSecuredClient()],
];

describe.each(modes)('%s', (_mode, hasLabels, open) => {
  /** The labels that the source of lists has. */
  const labels = (name: string, description = '') => (hasLabels ? { name, description } : {});

  test('runs the whole life of an account', async () => {
    // Functions of both kinds of client are called without checking the kind.
    const client = (await open()) as ChainSecuredClient;
    expect(await client.accountExists()).toBe(true);

    const wallet = await client.createWallet({ name: 'signer', description: 'signs' });
    const other = await client.createWallet({});
    expect(await client.listWallets()).toMatchObject({
      items: [
        { walletAddress: wallet.walletAddress, ...labels('signer', 'signs') },
        { walletAddress: other.walletAddress, ...labels('') },
      ],
      nextPage: undefined,
    });
    expect(await client.listWallets({ pageNumber: 0, pageSize: 1 })).toMatchObject({
      items: [{ walletAddress: wallet.walletAddress }],
      nextPage: { pageNumber: 1, pageSize: 1 },
    });

    const cid = await client.getSvcActionIpfsId({ code });
    await client.addAction({ cid, name: 'sign', description: '' });
    await client.addAction({ cid: otherCid, name: 'other', description: '' });
    await client.updateActionMetadata({ cid: otherCid, name: 'renamed', description: 'd' });
    expect((await client.listActions()).items).toEqual([
      { cidHash: cidHash(cid), ...labels('sign') },
      { cidHash: cidHash(otherCid), ...labels('renamed', 'd') },
    ]);

    const { groupId } = await client.addGroup({
      name: 'group',
      description: 'of actions',
      pkpIds: [other.walletAddress],
      cids: [otherCid],
    });
    expect(groupId).toBe(1n);
    await client.addActionToGroup({ groupId, cid });
    await client.addPkpToGroup({ groupId, pkpId: wallet.walletAddress });
    await client.removeActionFromGroup({ groupId, cid: cidHash(otherCid) });
    await client.removePkpFromGroup({ groupId, pkpId: other.walletAddress });
    expect((await client.listGroups()).items).toEqual([
      {
        groupId,
        cidHashes: [cidHash(cid)],
        pkpIds: [wallet.walletAddress],
        ...labels('group', 'of actions'),
      },
    ]);
    expect((await client.listActions({ groupId })).items).toMatchObject([{ cidHash: cidHash(cid) }]);
    expect((await client.listWalletsInGroup({ groupId })).items).toMatchObject([
      { walletAddress: wallet.walletAddress },
    ]);

    const { usageKey } = await client.addUsageApiKey({
      name: 'runner',
      canCreateGroups: true,
      executeInGroups: [groupId],
      expiration: 4_000_000_000n,
    });
    expect(isApiKey(usageKey)).toBe(true);
    const [listed] = (await client.listApiKeys()).items;
    expect(listed).toEqual({
      usageKeyHash: usageKeyHash(usageKey),
      expiration: 4_000_000_000n,
      canCreateGroups: true,
      canDeleteGroups: false,
      canCreatePkps: false,
      manageIpfsIdsInGroups: [],
      addPkpToGroups: [],
      removePkpFromGroups: [],
      executeInGroups: [groupId],
      ...labels('runner'),
      ...(open === newApiClient && { recordOutput: false }),
    });

    const { creditMicros } = await client.getBalance();
    await client.confirmPayment(await payByCard(client));
    expect((await client.getBalance()).creditMicros).toBe(creditMicros + 5_000_000n);
    const [payment] = (await client.listLedger({ pageSize: 1 })).items;
    expect(payment).toMatchObject({ kind: 'credit', amountMicros: 5_000_000n });

    const run = { code, jsParams: { pkpId: wallet.walletAddress, message: 'hello' }, usageKey };
    const startedAt = performance.now();
    const result = await client.runAction(run);
    const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
    expect(result).toMatchObject({ hasError: false, logs: '' });
    expect(result.runId).toMatch(/^[0-9a-f-]{36}$/);
    expect(result.costMicros).toBeGreaterThanOrEqual(10_000n);
    expect(result.costMicros).toBeLessThanOrEqual(BigInt(seconds) * 10_000n);
    const signature = result.response as `0x${string}`;
    expect(await verifyMessage({ address: wallet.walletAddress, message: 'hello', signature })).toBe(true);
    expect(await client.runAction({ ...run, jsParams: { pkpId: other.walletAddress } })).toMatchObject({
      hasError: true,
      response: null,
      error: { message: expect.stringContaining(other.walletAddress) },
    });

    const begun: unknown[] = [];
    const streamed = await client.runAction(run, { onStart: (start) => begun.push(start) });
    const { runId } = streamed;
    expect(begun).toEqual([{ runId, cid }]);
    const record = await client.getRun({ runId });
    expect(record).toMatchObject({
      id: runId,
      cid,
      status: 'success',
      usageKeyHash: usageKeyHash(usageKey),
      chargedMicros: streamed.costMicros,
      keyOperations: [{ operation: 'getPrivateKey', wallet: wallet.walletAddress }],
      fetchHosts: [],
    });
    expect(record.endedAt?.getTime()).toBeGreaterThanOrEqual(record.startedAt.getTime());
    expect(await client.stopRun({ runId })).toEqual(record);

    const { receipt } = streamed;
    if (!receipt) throw new Error('the run has no receipt');
    expect(record.receipt).toEqual(receipt);
    expect(receipt.message).toMatchObject({
      runId: `0x${runId.replaceAll('-', '')}`,
      cidHash: cidHash(cid),
      usageKeyHash: usageKeyHash(usageKey),
      succeeded: true,
      wallets: [wallet.walletAddress],
      durationMs: BigInt(record.durationMs ?? -1),
    });
    const { receiptSigner } = await client.getSvcActionClientConfig();
    const { chainId, contractAddress } = stack;
    const deployment = { signer: receiptSigner, chainId, contractAddress };
    const stated = { receipt, ...deployment, cid, jsParams: run.jsParams, response: streamed.response };
    expect(verifyReceipt(stated)).toBe(true);
    expect(verifyReceipt({ ...stated, signer: wallet.walletAddress })).toBe(false);
    expect(verifyReceipt({ ...stated, cid: otherCid })).toBe(false);
    expect(verifyReceipt({ ...stated, jsParams: { ...run.jsParams, message: 'other' } })).toBe(false);
    expect(verifyReceipt({ ...stated, response: 'other' })).toBe(false);
    expect(verifyReceipt({ ...stated, chainId: 1 })).toBe(false);
    expect(verifyReceipt({ ...stated, contractAddress: wallet.walletAddress })).toBe(false);
    expect(verifyReceipt({ ...stated, receipt: { ...receipt, signature: '0x00' } })).toBe(false);
    const changed = { ...receipt.message, wallets: [] };
    expect(verifyReceipt({ ...stated, receipt: { ...receipt, message: changed } })).toBe(false);
    const failed = (await client.listRuns({ pageSize: 1, status: 'failed' })).items[0]?.receipt;
    if (!failed) throw new Error('the failed run has no receipt');
    expect(failed.message.succeeded).toBe(false);
    expect(verifyReceipt({ receipt: failed, ...deployment })).toBe(true);
    expect(verifyReceipt({ receipt: failed, ...deployment, response: null })).toBe(false);
    const succeeded = { pageSize: 1, cid, usageKey, status: 'success' } as const;
    const first = await client.listRuns(succeeded);
    expect(first).toEqual({ items: [record], nextPage: { ...succeeded, before: runId } });
    const second = await client.listRuns(first.nextPage);
    expect(second.items).toMatchObject([{ id: result.runId, status: 'success' }]);
    expect(await client.listRuns(second.nextPage)).toEqual({ items: [] });
    const before = await client.listRuns({ before: runId, to: new Date() });
    expect(before.items.map(({ status }) => status)).toEqual(['failed', 'success']);
    expect(before.nextPage).toBeUndefined();
    expect(record.output).toBeUndefined();
    await client.setUsageApiKeyRecording({ usageKey, recordOutput: true });
    const { runId: recordedId, response } = await client.runAction(run);
    const recorded = await client.getRun({ runId: recordedId });
    expect(recorded.output).toEqual({ response, logs: '' });
    expect((await client.listRuns({ pageSize: 1 })).items[0]).toEqual({ ...recorded, output: undefined });
    await client.setUsageApiKeyRecording({ usageKey, recordOutput: false });
    expect((await client.getRun({ runId: recordedId })).output).toBeUndefined();
    await expect(client.getRun({ runId: crypto.randomUUID() })).rejects.toMatchObject({ code: 'not_found' });

    const { secret, ...webhook } = await client.addWebhook({
      url: 'https://webhook.invalid/',
      types: ['run.finished', 'credit.low'],
      creditLowCents: 5,
    });
    expect(secret).toMatch(/^whsec_/);
    expect(await client.listWebhooks()).toEqual([webhook]);
    const { id: webhookId } = webhook;
    expect(await client.testWebhook({ webhookId })).toMatchObject({ delivered: false });
    const { runId: reportedId } = await client.runAction(run);
    const sent = await client.listWebhookDeliveries({ webhookId, pageSize: 1 });
    expect(sent.items).toMatchObject([{ type: 'run.finished', data: { run_id: reportedId } }]);
    expect(await client.listWebhookDeliveries({ webhookId, ...sent.nextPage })).toEqual({ items: [] });
    expect(await client.replayWebhookDeliveries({ webhookId, failedSince: new Date(0) })).toBe(0);
    expect(await client.updateWebhook({ webhookId, enabled: false })).toMatchObject({ enabled: false });
    await client.removeWebhook({ webhookId });
    expect(await client.listWebhooks()).toEqual([]);

    const question = { cid, pkpId: wallet.walletAddress, usageKey };
    expect(await client.explainExecution(question)).toEqual({
      action: { permitted: true, rule: 'group', groupId },
      wallet: { permitted: true, rule: 'group', groupId },
    });
    const byHash = { ...question, cid: cidHash(cid), usageKey: usageKeyHash(usageKey) };
    expect(await client.explainExecution(byHash)).toEqual(await client.explainExecution(question));
    expect(
      await client.explainExecution({
        cid: cidHash(cid),
        pkpId: other.walletAddress,
        usageKey,
      }),
    ).toMatchObject({ wallet: { permitted: false, rule: 'no_group_permits_wallet', groupId: 0n } });
    expect(await client.explainExecution({ cid: otherCid, usageKey })).toEqual({
      action: { permitted: false, rule: 'no_group_permits_action', groupId: 0n },
    });

    // A list entry is passed to an update; a key is named by its text or its hash.
    if (!listed) throw new Error('the key is not listed');
    await client.updateUsageApiKey({
      ...listed,
      name: 'runner',
      description: '',
      usageKey: usageKeyHash(usageKey),
      executeInGroups: [],
    });
    await client.updateUsageApiKeyMetadata({ usageKey, name: 'idle', description: 'may not run' });
    expect((await client.listApiKeys()).items).toMatchObject([
      { executeInGroups: [], canCreateGroups: true, ...labels('idle', 'may not run') },
    ]);
    await expect(client.runAction(run)).rejects.toMatchObject({ code: 'forbidden', status: 403 });
    await client.removeUsageApiKey({ usageKey });
    expect((await client.listApiKeys()).items).toEqual([]);
    await expect(client.runAction(run)).rejects.toMatchObject({ code: 'unauthorized', status: 401 });

    await client.updateGroup({
      groupId,
      name: 'all',
      description: '',
      pkpIds: [zeroAddress],
      cids: [0n],
    });
    expect((await client.listGroups()).items).toEqual([
      { groupId, cidHashes: [0n], pkpIds: [zeroAddress], ...labels('all') },
    ]);
    await client.removeGroup({ groupId });
    expect((await client.listGroups()).items).toEqual([]);
    await client.deleteAction({ cid });
    expect((await client.listActions()).items).toMatchObject([{ cidHash: cidHash(otherCid) }]);
  }, 90_000);

  test('all modes return the same information about the chain', async () => {
    const client = (await open()) as ChainSecuredClient;
    const config = await client.getNodeChainConfig();
    expect(config).toMatchObject({ isEvm: true, token: 'ETH' });
    expect(await client.getApiPayers()).toHaveLength(2);
    expect(await client.getAdminApiPayer()).toMatch(/^0x[0-9a-fA-F]{40}$/);
    expect(await client.getSvcActionClientConfig()).toMatchObject({ maxFetchCount: 50, timeoutMs: 900_000 });
    expect(await client.getVersion()).toMatchObject({ name: expect.any(String) });
  });
});
