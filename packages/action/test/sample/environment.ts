/** Uses every function of the environment: it must compile. */
export async function main({ pkpId, ipfsId }: { pkpId: string; ipfsId: string }) {
  const ciphertext: string = await SvcActions.Encrypt({ pkpId, message: 'text' });
  const text: string = await Svc.Actions.Decrypt({ pkpId, ciphertext });
  const keys: string[] = [
    await Svc.Actions.getActionPrivateKey(),
    await Svc.Actions.getSecret('NAME', { minVersion: 1 }),
    await Svc.Actions.getActionPublicKey({ ipfsId }),
    await Svc.Actions.getActionWalletAddress({ ipfsId }),
  ];
  const [first] = Svc.Actions.showImportDetails();
  Svc.Actions.setResponse({ response: { text, count: keys.length, hash: first?.hash ?? null } });
  // @ts-expect-error A bigint is not JSON.
  Svc.Actions.setResponse({ response: 1n });
  // @ts-expect-error A key function takes an object.
  await Svc.Actions.getPrivateKey(pkpId);
  const { id, nonce } = await Svc.Actions.sendTransaction({
    pkpId,
    chainId: 1,
    to: null,
    data: '0x00',
    value: 1n,
  });
  // @ts-expect-error `to` must be present.
  await Svc.Actions.sendTransaction({ pkpId, chainId: 1 });
  const block: number = await Svc.Actions.rpc(nonce).getBlockNumber();
  console.log(id, block);
  const provider = new ethers.providers.JsonRpcProvider('http://127.0.0.1:8545');
  const response = await fetch('https://example.com', {
    signal: AbortSignal.timeout(1_000),
    timeoutMs: 60_000,
  });
  const hex: string = Buffer.from(text, 'base64').subarray(1).toString('hex');
  return [ethers.utils.id('x'), await provider.getBlockNumber(), response.status, hex, global === globalThis];
}
