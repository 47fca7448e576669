/** A Vite plugin that makes `virtual:action-environment`: the names that the editor completes, read from the types of actions and from ethers. */
import { readFileSync } from 'node:fs';
import { ethers } from 'ethers';
import { parseSync } from 'oxc-parser';
import type { Plugin } from 'vite';

const NAME = 'virtual:action-environment';

/** A name, with its type and a description where they are known. */
type Named = { name: string; type?: string; about?: string };

/** Returns the members of the interface `SvcActions` with their types and comments. */
function readSvcActions(): Named[] {
  const source = readFileSync(new URL('../packages/action/types/index.d.ts', import.meta.url), 'utf8');
  const { program, comments } = parseSync('index.d.ts', source);
  for (const statement of program.body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : undefined;
    if (declared?.type !== 'TSInterfaceDeclaration' || declared.id.name !== 'SvcActions') continue;
    return declared.body.body.flatMap((member) => {
      if (member.type !== 'TSMethodSignature' || member.key.type !== 'Identifier') return [];
      const { name } = member.key;
      const comment = comments.findLast(({ end }) => end <= member.start)?.value ?? '';
      const about = comment.replaceAll(/^[\s*]+|\s+$/gm, '').replaceAll('\n', ' ');
      return [{ name, type: source.slice(member.start, member.end).replace(/;$/, ''), about }];
    });
  }
  throw new Error('the types of actions have no interface SvcActions');
}

const namesOf = (object: object): Named[] =>
  Object.keys(object)
    .toSorted()
    .map((name) => ({ name }));

/** Members by the expression before the dot. */
export const readEnvironment = (): Record<string, Named[]> => ({
  'Svc.Actions': readSvcActions(),
  SvcActions: readSvcActions(),
  ethers: namesOf(ethers),
  'ethers.utils': namesOf(ethers.utils),
  'ethers.constants': namesOf(ethers.constants),
  'ethers.providers': namesOf(ethers.providers),
});

export const actionEnvironment: Plugin = {
  name: 'action-environment',
  resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
  load: (id) => (id === `\0${NAME}` ? `export default ${JSON.stringify(readEnvironment())}` : undefined),
};
