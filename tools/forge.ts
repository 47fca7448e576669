/**
 * `npm run forge -- <arguments>`: runs forge with its own exit code. The launcher of its npm package always ends with
 * 0.
 */
import { spawnSync } from 'node:child_process';
import { foundryBinary } from '@latchkey/stack/foundry';

const { status, error } = spawnSync(foundryBinary('forge'), process.argv.slice(2), { stdio: 'inherit' });
if (error) throw error;
process.exit(status ?? 1);
