/**
 * `npm run settings`: writes docs/settings.md. Names, defaults and bounds come from the schemas, meanings from the comments of
 * `.env.example`, which settings.test.ts compares with its schema.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { loadModule, services } from './service-schemas.ts';

const root = join(import.meta.dirname, '..');
type Example = { name: string; value: string; meaning: string };
type Property = { default?: unknown; minimum?: number; maximum?: number; enum?: string[]; pattern?: string };

/** Returns the variables of an `.env.example`. Throws when one has no comment above it, or one of several lines. */
function readExample(folder: string): Example[] {
  const file = join(folder, '.env.example');
  const [, ...blocks] = readFileSync(join(root, file), 'utf8').split('\n\n');
  const lines = blocks.flatMap((block) => block.split('\n')).filter((line) => line !== '');
  return lines.flatMap((line, index) => {
    const [, name = '', value = ''] = /^([A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
    if (name === '') return [];
    const above = lines[index - 1];
    if (!above?.startsWith('# ') || lines[index - 2]?.startsWith('# '))
      throw new Error(`${file}: ${name} needs a comment of one line above it`);
    return [{ name, value: value.replaceAll('"', ''), meaning: above.slice(2) }];
  });
}

/** Returns the values that a setting can have, as far as the schema bounds them. */
function describeBounds({ minimum, maximum, enum: values }: Property): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (minimum === undefined || maximum === undefined) return '';
  return maximum === Number.MAX_SAFE_INTEGER ? `from ${minimum}` : `${minimum} to ${maximum}`;
}

async function table(service: (typeof services)[number]): Promise<string> {
  const { folder } = service;
  const { environment, secretVariables: secrets = [] } = await loadModule(service);
  const schema = z.toJSONSchema(environment, { io: 'input', unrepresentable: 'any' });
  const properties = schema.properties as Record<string, Property>;
  const rows = readExample(folder).map(({ name, value, meaning }) => {
    const property = properties[name];
    if (!property) throw new Error(`${folder}/.env.example: ${name} is not a setting`);
    const text = secrets.includes(name) ? `${meaning} *Secret*` : meaning;
    const cells = [`\`${name}\``, value === '' ? '' : `\`${value}\``, describeBounds(property), text];
    return `| ${cells.join(' | ').replaceAll(/ +/g, ' ')} |`;
  });
  return ['| Variable | Default | Values | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

const sections = await Promise.all(
  services.map(async (service) => `## ${service.name}\n\n${await table(service)}\n`),
);
writeFileSync(
  join(root, 'docs/settings.md'),
  `# Settings

Each service reads its settings from environment variables at its start. It lists all mistakes together and exits. An empty value counts
as absent. Relative directories are relative to the repository. \`npm run settings\` writes this page.

A service deletes the settings marked *Secret* from its environment after it has read them. URLs are secrets where they can contain
credentials. A secret \`NAME\` can also be in a file: \`NAME_FILE\` is its path.

${sections.join('\n')}`,
);
