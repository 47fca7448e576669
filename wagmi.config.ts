import { readFileSync } from 'node:fs';
import { defineConfig } from '@wagmi/cli';

/** What `forge build contracts/interfaces/IAccountConfig.sol` writes: the interface is the only source of the ABI. */
const artifact = JSON.parse(readFileSync('out/IAccountConfig.sol/IAccountConfig.json', 'utf8'));

export default defineConfig({
  out: 'packages/protocol/src/generated/abi.ts',
  contracts: [{ name: 'AccountConfig', abi: artifact.abi }],
});
