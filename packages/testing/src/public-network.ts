/** A network namespace in which this machine has public addresses. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

/** On interfaces with and without a carrier, and in a network that is wholly this machine's. */
export const ownPublicAddresses = ['12.1.1.1', '11.9.9.9', '13.0.0.77', '2a00:1450::5', '2a00:1460::5'];

const SET_UP = `set -e
ip link set lo up
ip address add 12.1.1.1/32 dev lo
ip address add 2a00:1460::5/128 dev lo nodad
ip link add v0 type veth peer name v1
ip link set v0 up
ip address add 11.9.9.9/24 dev v0
ip address add 2a00:1450::5/64 dev v0 nodad
ip route add local 13.0.0.0/24 dev lo
exec "$@"`;

const inNetwork = (command: string[]): string[] => [
  '--user',
  '--map-root-user',
  '--net',
  ...['/bin/sh', '-c', SET_UP, 'sh', ...command],
];

/** False where namespaces or the tool `ip` are missing. */
export const hasPublicNetwork = (): boolean => spawnSync('unshare', inNetwork(['true'])).status === 0;

/** Runs a module of TypeScript in the namespace. Returns the JSON that it prints. */
export async function runInPublicNetwork(path: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('unshare', inNetwork([process.execPath, path]));
  return JSON.parse(stdout);
}
