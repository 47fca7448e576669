/** A limit that several processes take parts of. */
export const deployment = {
  chainId: 31_337,
  contractAddress: '0x1111111111111111111111111111111111111111',
} as const;
export const contended = {
  cid: 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG',
  request: { wallet: `0x${'22'.repeat(20)}`, name: 'daily', limit: '100', windowSeconds: 86_400 },
};
