/** The codes of the actions of an account, from a folder: an account has only the hashes of their CIDs. */
import { basename } from 'node:path';
import { cidHash, cidOf } from '@latchkey/protocol';
import { compileFile } from '../actions/run.ts';
import { UsageError } from '../errors.ts';
import { isCid } from '../parse.ts';
import { cidOfSource, findCode, readCode } from './code-files.ts';
import { ParseError, rewrite } from './rewrite.ts';

/** The code that takes the place of an action. */
export type ActionFile = { file: string; cid: string } | { file: string; reason: string };

/** Returns the hashes that a file answers for, with its new CID, or why it has none. */
async function readActionFile(file: string): Promise<[hashes: bigint[], found: ActionFile]> {
  const name = basename(file).replace(/\.[^.]+$/, '');
  // A person has named the file by the earlier CID: it is the new code as it is.
  if (isCid(name)) return [[cidHash(name)], { file, cid: await cidOf(await compileFile(file)) }];
  const source = await readCode(file);
  const { code, notes } = rewrite(file, source);
  const [before, cid] = [await cidOfSource(file, source), await cidOfSource(file, code)];
  if (before === undefined || cid === undefined)
    throw new ParseError('has relative imports: bundle it, and name the bundle by the earlier CID');
  const hashes = [cidHash(before), cidHash(cid)];
  const [note] = notes;
  if (!note) return [hashes, { file, cid }];
  const place = `${file}:${note.line}:${note.column}`;
  return [
    hashes,
    { file, reason: `${place} must be changed: change it, and name the file by its earlier CID` },
  ];
}

/**
 * Returns the files of a folder by the hashes of the CIDs that their actions had: of the file as it is, of its rewritten form, or the one that its
 * name is.
 */
export async function readActionFiles(folder: string | undefined): Promise<Map<bigint, ActionFile>> {
  const found = new Map<bigint, ActionFile>();
  if (folder === undefined) return found;
  for (const file of await findCode([folder])) {
    try {
      const [hashes, action] = await readActionFile(file);
      for (const hash of new Set(hashes)) {
        const other = found.get(hash);
        const isSame = other && 'cid' in other && 'cid' in action && other.cid === action.cid;
        if (other && !isSame) throw new UsageError(`${other.file} and ${file} are code of the same action`);
        found.set(hash, action);
      }
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      throw new UsageError(`${file}: ${error.message}`);
    }
  }
  return found;
}
