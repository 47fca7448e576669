/** Runs an action, and prints its output as it comes. */
import { safeLines } from '@latchkey/command/text';
import { type ApiClient, createClient, type RunActionResult } from '@latchkey/sdk';
import { EXIT, UsageError } from '../errors.ts';
import { isCid, type JsonObject } from '../parse.ts';
import type { Session } from '../session.ts';
import { cents } from '../text.ts';
import { openAccount } from './open-account.ts';

/** Returns the client of an account that is opened for this run, and its wallet. */
export async function openLocal(session: Session): Promise<{ client: ApiClient; pkpId: string }> {
  const url = session.localUrl();
  const { usageKey, pkpId } = await openAccount(url);
  return { client: createClient({ url, apiKey: usageKey }), pkpId };
}

/** Returns the code of a file, or the CID itself. */
export async function readSource(source: string): Promise<{ code: string } | { cid: string }> {
  return isCid(source) ? { cid: source } : { code: await compileFile(source) };
}

/** Returns the code of a file. */
export async function compileFile(path: string): Promise<string> {
  try {
    // The compilers are loaded when they are needed.
    const { compile } = await import('./compile.ts');
    return await compile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new UsageError(`${path}: no such file`);
    throw error;
  }
}

/** Runs an action. Its output goes to stderr as it comes. The first Ctrl-C stops the run. */
export async function runStreamed(
  session: Session,
  client: ApiClient,
  source: { code: string } | { cid: string },
  jsParams: JsonObject,
): Promise<RunActionResult> {
  let runId: string | undefined;
  const stop = (): void => {
    if (runId === undefined) process.exit(EXIT.interrupted);
    client.stopRun({ runId }).catch(() => process.exit(EXIT.interrupted));
  };
  process.once('SIGINT', stop);
  try {
    const result = await client.runAction(
      { ...source, jsParams },
      {
        onStart: (start) => {
          runId = start.runId;
        },
        onLog: (text) => process.stderr.write(safeLines(text)),
      },
    );
    session.tell(
      `run ${result.runId}: ${result.hasError ? 'failed' : 'success'}, ${cents(result.costMicros)}`,
    );
    if (result.error) session.tell(result.error.stack);
    return result;
  } finally {
    process.off('SIGINT', stop);
  }
}
