/** Replicas as pods of podman, from the images and the manifests of deploy/kubernetes. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '@latchkey/testing/processes';
import { freePort, until } from '@latchkey/testing/until';
import { parseAllDocuments, stringify } from 'yaml';
import type { Replica } from './replica.ts';

/** User of the images. */
const USER = 10_001;
const START_MS = 60_000;
const SECRETS = '/secrets/';

type Variable = { name: string; value: string };
type Container = Record<
  'envFrom' | 'ports' | 'lifecycle' | 'startupProbe' | 'livenessProbe' | 'readinessProbe',
  unknown
> & {
  env: Variable[];
};
type PodSpec = { containers: [Container]; volumes: { name: string }[] };
type Deployment = { kind: string; spec: { template: { spec: PodSpec } } };

const podman = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)('podman', args)).stdout;

function specOf(service: string): PodSpec {
  const text = readFileSync(join(root, `deploy/kubernetes/${service}.yaml`), 'utf8');
  const found = parseAllDocuments(text)
    .map((document) => document.toJS() as Deployment)
    .find(({ kind }) => kind === 'Deployment');
  if (!found) throw new Error(`${service}.yaml has no deployment`);
  return found.spec.template.spec;
}

/**
 * The pod of a manifest, for podman: config maps are variables, secrets and config maps that are volumes are directories of this machine, and the
 * network is that of this machine. Probes are left out, for which podman needs a program in the image.
 */
function podOf(
  service: string,
  name: string,
  settings: Record<string, string>,
  directories: Record<string, string>,
) {
  const { containers, volumes, ...spec } = specOf(service);
  const { env, envFrom, ports, lifecycle, startupProbe, livenessProbe, readinessProbe, ...container } =
    containers[0];
  const secrets = env.filter(({ value }) => value.startsWith(SECRETS));
  const given = secrets.filter(({ value }) => value.slice(SECRETS.length) in settings);
  for (const { value } of given) {
    const path = join(directories.secrets as string, value.slice(SECRETS.length));
    writeFileSync(path, settings[value.slice(SECRETS.length)] as string, { mode: 0o400 });
    chownSync(path, USER, USER);
  }
  const inFiles = new Set(given.map(({ value }) => value.slice(SECRETS.length)));
  const variables = new Map(
    env
      .filter((variable) => !secrets.includes(variable) || given.includes(variable))
      .map(({ name, value }) => [name, value]),
  );
  for (const [key, value] of Object.entries(settings)) if (!inFiles.has(key)) variables.set(key, value);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      ...spec,
      hostNetwork: true,
      restartPolicy: 'Never',
      containers: [{ ...container, env: Array.from(variables, ([key, value]) => ({ name: key, value })) }],
      volumes: volumes.map((volume) => {
        const path = directories[volume.name];
        return path === undefined ? volume : { name: volume.name, hostPath: { path, type: 'Directory' } };
      }),
    },
  };
}

/** Starts a pod, and waits until it answers or, as a runner, listens. */
export async function startPod(
  service: 'relayer' | 'triggers' | 'runner',
  settings: Record<string, string>,
  deployments: string,
): Promise<Replica> {
  const [port, metricsPort] = [String(await freePort()), String(await freePort())];
  const name = `chaos-${service}-${port}`;
  const container = `${name}-${service}`;
  const secrets = mkdtempSync(join(tmpdir(), `${name}-`));
  process.once('exit', () => rmSync(secrets, { recursive: true, force: true }));
  chownSync(secrets, USER, USER);
  chmodSync(deployments, 0o755);
  const isRunner = service === 'runner';
  const own = isRunner ? { RUNNER_LISTEN: `127.0.0.1:${port}` } : { HOST: '127.0.0.1', PORT: port };
  const pod = podOf(
    service,
    name,
    { ...settings, ...own, METRICS_HOST: '127.0.0.1', METRICS_PORT: metricsPort },
    { secrets, deployments },
  );
  let before = '';
  let pid = 0;
  const logs = () =>
    execFileSync('sh', ['-c', `podman logs ${container} 2>&1`], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  const output = () => {
    try {
      return before + logs();
    } catch {
      return before;
    }
  };
  const url = isRunner ? `ws://127.0.0.1:${port}` : `http://127.0.0.1:${port}`;
  const isReady = async () =>
    isRunner
      ? logs().includes('"msg":"ready"')
      : (await fetch(url, { signal: AbortSignal.timeout(5_000) })).ok;
  const replica: Replica = {
    url,
    async start() {
      const play = spawn(
        'podman',
        ['kube', 'play', '--replace', '--seccomp-profile-root', join(root, 'deploy/images'), '-'],
        {
          stdio: ['pipe', 'ignore', 'inherit'],
        },
      );
      play.stdin.end(stringify(pod));
      const [code] = await once(play, 'exit');
      if (code !== 0) throw new Error(`podman kube play ended with ${code}`);
      pid = Number(await podman('inspect', '--format', '{{.State.Pid}}', container));
      await until(`${name} is ready`, isReady, START_MS).catch((cause: unknown) => {
        throw new Error(output(), { cause });
      });
    },
    async stop(signal) {
      if (pid === 0) return;
      pid = 0;
      if (signal === 'SIGKILL') await podman('kill', container);
      else await podman('stop', '--time', '180', container);
      before = output();
      await podman('pod', 'rm', '--force', name);
    },
    output,
    process: () => ({ pid, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics` }),
  };
  await replica.start();
  return replica;
}
