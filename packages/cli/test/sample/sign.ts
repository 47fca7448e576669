import { greet } from './greet.ts';

type Params = { pkpId: string; name: string };

export async function main({ pkpId, name }: Params): Promise<{ address: string; signature: string }> {
  const wallet = Svc.Actions.getSigner({ pkpId });
  console.log('signing for', name satisfies string);
  return { address: await wallet.getAddress(), signature: await wallet.signMessage(greet(name)) };
}
