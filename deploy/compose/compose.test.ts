/** The compose file: the rights and networks of its containers, and that it agrees with the services and the images. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { services, wrongVariables } from '../../tools/service-schemas.ts';

type Service = {
  image: string;
  environment?: Record<string, string>;
  secrets?: string[];
  networks?: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
};

const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
const compose = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  networks: { databases: { internal?: boolean } };
  secrets: Record<string, { file: string }>;
};
const { postgres, ...own } = compose.services;
const targetOf = (service: Service) => /^latchkey\/(.+):/.exec(service.image)?.[1] ?? '';
const folderOf: Record<string, string> = { keynode: 'keynodes', dashboard: 'packages/dashboard-server' };

test.each(Object.entries(own))('%s has no rights, and writes to no part of its image', (_name, service) => {
  expect(service).toMatchObject({
    user: expect.stringContaining('LATCHKEY_USER'),
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: expect.arrayContaining(['no-new-privileges']),
  });
});

test.each(Object.entries(own))('%s runs an image of this version', (_name, service) => {
  const { version } = JSON.parse(read('../../package.json')) as { version: string };
  expect(service.image).toBe(`latchkey/${targetOf(service)}:${version}`);
  expect(read('../images/Dockerfile')).toContain(`\nFROM service AS ${targetOf(service)}\n`);
});

test.each(Object.entries(own))(
  '%s sets settings that exist, and secrets by files',
  async (_name, service) => {
    const target = targetOf(service);
    const found = services.find(({ folder }) => folder === (folderOf[target] ?? target));
    if (!found) throw new Error(`${target} is not a service`);
    const variables = service.environment ?? {};
    expect(await wrongVariables(found, variables)).toEqual([]);
    const files = Object.values(variables).flatMap(
      (value) => /^\/run\/secrets\/(.+)$/.exec(value)?.[1] ?? [],
    );
    expect(files.toSorted()).toEqual((service.secrets ?? []).toSorted());
  },
);

test('each secret is a file of the directory', () => {
  const used = new Set(Object.values(compose.services).flatMap(({ secrets = [] }) => secrets));
  expect(compose.secrets).toEqual(
    Object.fromEntries([...used].map((name) => [name, { file: `\${DIR}/${name}` }])),
  );
});

test.each(['relayer', 'triggers', 'indexer'])('%s starts when PostgreSQL is healthy', (name) => {
  expect(postgres).toHaveProperty('healthcheck');
  expect(own[name]?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
});

test('other machines reach no port', () => {
  for (const port of Object.values(compose.services).flatMap(({ ports = [] }) => ports))
    expect(port).toMatch(/^127\.0\.0\.1:/);
});

test('the runner shares a network with no service, and only those that need the databases reach them', () => {
  const membersOf = (network: string) =>
    Object.keys(compose.services).filter((name) =>
      (compose.services[name]?.networks ?? ['default']).includes(network),
    );
  expect(membersOf('runs')).toEqual(['runner']);
  expect(membersOf('databases')).toEqual(['postgres', 'relayer', 'triggers', 'indexer']);
  expect(postgres?.networks).toEqual(['databases']);
  expect(compose.networks.databases.internal).toBe(true);
});
