/**
 * `npm run snapshot:previous -- <commit> <folder>`: writes the facets of a version to snapshots/previous-version.json, from which
 * test/upgrade makes the diamonds that it upgrades. The folder is `out` of a checkout of the commit.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [commit, folder] = process.argv.slice(2);
if (!commit || !folder) throw new Error('usage: npm run snapshot:previous -- <commit> <folder>');
const names = readFileSync(join(folder, '../script/Script.sol'), 'utf8').matchAll(/names\[\d+\] = "(\w+)";/g);
const facets = [...names].map(([, name = '']) => {
  const text = readFileSync(join(folder, `${name}.sol/${name}.json`), 'utf8');
  const artifact = JSON.parse(text) as { bytecode: { object: string }; methodIdentifiers: object };
  return { name, code: artifact.bytecode.object, signatures: Object.keys(artifact.methodIdentifiers) };
});
writeFileSync('snapshots/previous-version.json', `${JSON.stringify({ commit, facets }, undefined, 2)}\n`);
