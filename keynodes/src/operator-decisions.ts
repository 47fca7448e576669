/**
 * Decisions of the operator of this node. `npm run keys` writes them on the machine of the node, into its data directory; the node reads
 * them when it decides.
 */
import { join } from 'node:path';
import { replaceFile } from '@latchkey/service/files';
import { z } from 'zod';
import { readJson } from './files.ts';
import { pins } from './pins/read-pins.ts';

const decisions = z.strictObject({
  /** The code of the contract that the operator accepts, null before the first change. */
  acknowledged: pins.nullable(),
  /** By the approved group's text, in the order of the decisions. */
  groups: z.array(z.strictObject({ group: z.string(), decision: z.enum(['accepted', 'refused']) })),
});
export type Decisions = z.infer<typeof decisions>;

const fileOf = (directory: string): string => join(directory, 'decisions.json');

/** Rejects with a FileError when the file is damaged: a refusal in it must not be lost. */
export const readDecisions = async (directory: string): Promise<Decisions> =>
  (await readJson(fileOf(directory), decisions)) ?? { acknowledged: null, groups: [] };

export async function changeDecisions(
  directory: string,
  change: (before: Decisions) => Decisions,
): Promise<void> {
  const after = change(await readDecisions(directory));
  await replaceFile(fileOf(directory), `${JSON.stringify(after, null, 2)}\n`);
}

/** Accepting a group revokes the acceptance of the previous one: otherwise nodes that have left could be approved again without a waiting time. */
export const decide = (directory: string, group: string, decision: 'accepted' | 'refused'): Promise<void> =>
  changeDecisions(directory, ({ groups, ...before }) => {
    const isOver = (other: Decisions['groups'][number]) =>
      other.group === group || (decision === 'accepted' && other.decision === 'accepted');
    return { ...before, groups: [...groups.filter((other) => !isOver(other)), { group, decision }] };
  });
