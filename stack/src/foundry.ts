import { createRequire } from 'node:module';

/** Returns the executable of one of foundry's npm packages; their own launchers would add a process. */
export function foundryBinary(tool: 'anvil' | 'forge'): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const launcher = createRequire(import.meta.url).resolve(`@foundry-rs/${tool}/bin.mjs`);
  return createRequire(launcher).resolve(`@foundry-rs/${tool}-${process.platform}-${arch}/bin/${tool}`);
}
