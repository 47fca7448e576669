/** The manifests of Kubernetes: their schemas, the rights of their containers, and that they agree with the services and the images. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Namespace, PersistentVolumeClaim, Service } from 'kubernetes-models/v1';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { services, wrongVariables } from '../../tools/service-schemas.ts';

type Manifest = { kind: string; metadata: { name: string } };

const kinds: Record<string, new (manifest: never) => { validate: () => void }> = {
  Deployment,
  NetworkPolicy,
  PodDisruptionBudget,
  Namespace,
  PersistentVolumeClaim,
  Service,
};
const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
const folders = ['.', 'key-node'];
const filesOf = (folder: string) =>
  readdirSync(join(import.meta.dirname, folder)).filter(
    (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
  );
const manifests = folders.flatMap((folder) =>
  filesOf(folder).flatMap((name) =>
    parseAllDocuments(read(join(folder, name))).map((document) => document.toJS() as Manifest),
  ),
);
const deployments = manifests
  .filter(({ kind }) => kind === 'Deployment')
  .map((manifest) => new Deployment(manifest as never));
const podOf = (deployment: Deployment) => {
  const pod = deployment.spec?.template.spec;
  const [container] = pod?.containers ?? [];
  if (!pod || !container) throw new Error('no container');
  return { pod, container };
};

test.each(folders)('the kustomization of %s names every file', (folder) => {
  const { resources } = parse(read(join(folder, 'kustomization.yaml'))) as { resources: string[] };
  expect(resources.toSorted()).toEqual(filesOf(folder).toSorted());
});

test.each(manifests)('$kind $metadata.name has the shape of its kind', (manifest) => {
  const Kind = kinds[manifest.kind];
  if (!Kind) throw new Error(`${manifest.kind} is not checked`);
  new Kind(manifest as never).validate();
});

test.each(deployments)('$metadata.name has no rights, and writes to no part of its image', (deployment) => {
  const { pod, container } = podOf(deployment);
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
  expect(['RuntimeDefault', 'Localhost']).toContain(pod.securityContext?.seccompProfile?.type);
  expect(pod.automountServiceAccountToken).toBe(false);
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  expect(container.resources?.limits?.memory).toBeDefined();
  expect(container.readinessProbe).toBeDefined();
});

test.each(deployments)('$metadata.name runs an image of this version', (deployment) => {
  const { version } = JSON.parse(read('../../package.json')) as { version: string };
  const [, target, tag] = /^latchkey\/(.+):(.+)$/.exec(podOf(deployment).container.image ?? '') ?? [];
  expect(tag).toBe(version);
  expect(read('../images/Dockerfile')).toContain(`\nFROM service AS ${target}\n`);
});

const folderOf: Record<string, string> = { 'key-node': 'keynodes', dashboard: 'packages/dashboard-server' };
test.each(deployments)(
  '$metadata.name sets settings that exist, and secrets by files',
  async (deployment) => {
    const name = deployment.metadata?.name ?? '';
    const service = services.find(
      ({ folder }) => folder === (folderOf[name] ?? `${name}s`) || folder === name,
    );
    if (!service) throw new Error(`${name} is not a service`);
    const variables = (podOf(deployment).container.env ?? []).map(({ name: variable, value = '' }) => [
      variable,
      value,
    ]);
    expect(await wrongVariables(service, Object.fromEntries(variables))).toEqual([]);
  },
);
