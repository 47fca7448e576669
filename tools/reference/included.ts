/** Pages outside of docs/ that the documentation site has, with their paths in docs/reference/. */
export const included: Record<string, string> = {
  'packages/sdk/README.md': 'sdk.md',
  'packages/viem/README.md': 'viem.md',
  'packages/ethers/README.md': 'ethers.md',
  'packages/protocol/README.md': 'protocol.md',
  'CONTRIBUTING.md': 'contributing.md',
  'SECURITY.md': 'security.md',
  'CHANGELOG.md': 'changelog.md',
  'test/invariant/README.md': 'invariants.md',
  'tools/mutation/README.md': 'mutation.md',
};
