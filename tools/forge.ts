/**
 * `npm run forge -- <arguments>`: runs forge with its own exit code. The launcher of its npm package always ends with
 * 0.
 */
import { spawnSync } from 'node:child_process';
import { foundryBinary, withForgeCache } from '@latchkey/foundry';

const { status, error } = await withForgeCache((cache) =>
  spawnSync(foundryBinary('forge'), process.argv.slice(2), {
    stdio: 'inherit',
    env: { ...process.env, ...cache },
  }),
);
if (error) throw error;
process.exit(status ?? 1);
