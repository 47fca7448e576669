import { readFileSync } from 'node:fs';
import { defineConfig } from '@wagmi/cli';

/** The output of `forge build contracts/interfaces/IAccountConfig.sol`: the interface is the only source of the ABI. */
const artifact = JSON.parse(readFileSync('out/IAccountConfig.sol/IAccountConfig.json', 'utf8'));

export default defineConfig({
  out: 'packages/protocol/src/generated/abi.ts',
  contracts: [{ name: 'AccountConfig', abi: artifact.abi }],
});
