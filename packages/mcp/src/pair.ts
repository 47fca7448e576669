/** `latchkey-mcp pair`. */
import { hostname } from 'node:os';
import { CommandError } from '@latchkey/command/errors';
import { safeLines } from '@latchkey/command/text';
import { pairAgent } from '@latchkey/sdk';
import { saveAgent } from './credentials.ts';

/** Pairs this user with an account at the trigger service. The owner of the account approves it in a browser. */
export async function pair(env: NodeJS.ProcessEnv): Promise<void> {
  const url = env.LATCHKEY_TRIGGERS_URL;
  if (!url)
    throw new CommandError('the URL of the trigger service is not known', 'Set LATCHKEY_TRIGGERS_URL.', 2);
  const { token } = await pairAgent({
    url,
    label: `latchkey-mcp on ${hostname()}`.slice(0, 100),
    onRequest: ({ authorizeUrl, userCode }) =>
      tell(
        `Open this page, compare the code ${userCode}, and approve:\n\n${authorizeUrl}\n\nWaiting for ten minutes.`,
      ),
  });
  tell(`Paired. The token is in ${await saveAgent(env, { url, token })}`);
}

const tell = (text: string) => process.stderr.write(`${safeLines(text)}\n`);
