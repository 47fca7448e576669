import { greet } from './greet.ts';

type Params = { pkpId: string; name: string };

export async function main({ pkpId, name }: Params): Promise<{ address: string; signature: string }> {
  const wallet = new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId }));
  console.log('signing for', name satisfies string);
  return { address: wallet.address, signature: await wallet.signMessage(greet(name)) };
}
