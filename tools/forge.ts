/** `npm run forge -- <arguments>`: forge with its own exit code; the launcher of its npm package ends with 0 whatever happens. */
import { spawnSync } from 'node:child_process';
import { foundryBinary } from '@latchkey/stack/foundry';

const { status, error } = spawnSync(foundryBinary('forge'), process.argv.slice(2), { stdio: 'inherit' });
if (error) throw error;
process.exit(status ?? 1);
