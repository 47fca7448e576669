/** Checks the settings of all services in the environment, without starting one: prints the mistakes and exits with 1. */
import { loadSchema, services } from './service-schemas.ts';

/** Required settings that the caller may not know yet. */
const publicKey = '00'.repeat(32);
const placeholders = {
  RPC_URL: 'http://127.0.0.1',
  SEALING_KEYS: Buffer.alloc(32).toString('base64'),
  KEYNODE_PASSPHRASE: 'a passphrase of the stack',
  ...{ RUNNER_KEYS: publicKey, RELAYER_KEYS: publicKey, OPERATOR_KEY: publicKey },
};

const present = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
for (const service of services) {
  const { error } = (await loadSchema(service)).safeParse({ ...placeholders, ...present });
  for (const { path, message } of error?.issues ?? []) {
    console.error(`${service.folder}: ${path.join('.')}: ${message}`);
    process.exitCode = 1;
  }
}
