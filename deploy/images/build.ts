/** `npm run images`: builds the images of the services with podman, docker or buildah, and prints their sizes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '../..');
const dockerfile = join(import.meta.dirname, 'Dockerfile');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const targets = [...readFileSync(dockerfile, 'utf8').matchAll(/^FROM service AS (\S+)$/gm)].map(
  ([, name = '']) => name,
);

const HELP = `npm run images -- [options] [service ...]

Builds the images latchkey/<service>:${version} of these services, by default all: ${targets.join(', ')}.

  --engine NAME   podman, docker or buildah (default: the first of them that is installed)
  --base IMAGE    Debian with Node 24 and npm (default: the one of deploy/images/Dockerfile)
  --tag TAG       in place of ${version}
  --option TEXT   passed to the build, such as --option=--isolation=chroot; can be repeated
  -h, --help      this text`;

const isInstalled = (engine: string): boolean => spawnSync(engine, ['--version']).status === 0;

const { values, positionals } = parseArgs({
  options: {
    engine: { type: 'string' },
    base: { type: 'string' },
    tag: { type: 'string', default: version },
    option: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !targets.includes(name));
const engine = values.engine ?? ['podman', 'docker', 'buildah'].find(isInstalled);
if (values.help) console.log(HELP);
else if (unknown.length > 0) fail(`${unknown.join(', ')}: no such service. There are ${targets.join(', ')}.`);
else if (!engine) fail('Install podman, docker or buildah, or name another one by --engine.');
else for (const target of positionals.length > 0 ? positionals : targets) build(engine, target);

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

function build(command: string, target: string): void {
  const image = `latchkey/${target}:${values.tag}`;
  const base = values.base ? ['--build-arg', `BASE=${values.base}`] : [];
  const started = Date.now();
  const args = ['build', ...values.option, ...base, '-f', dockerfile, '--target', target, '-t', image, root];
  execFileSync(command, args, { stdio: 'inherit' });
  console.log(`${image} built in ${Math.round((Date.now() - started) / 1_000)} s`);
}
