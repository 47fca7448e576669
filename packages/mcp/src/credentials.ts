/** The credentials of the server, from the environment and from the file of a pairing. */
import { readFile } from 'node:fs/promises';
import { CommandError } from '@latchkey/command/errors';
import { configPath, makePrivateFolder, readPrivate, writePrivate } from '@latchkey/command/private-files';
import { usageKeyHash } from '@latchkey/sdk';
import { z } from 'zod';

const tokenSchema = z.string().regex(/^[\w.~-]{32,512}$/);
const agentSchema = z.strictObject({ url: z.string(), token: tokenSchema });
/** A paired agent. Its token goes to this trigger service only. */
export type Agent = z.infer<typeof agentSchema>;

export type Credentials = {
  /** URL of the relayer. */
  url: string;
  usageKey: string | undefined;
  agent: Agent | undefined;
};

type Environment = Record<string, string | undefined>;

const agentPath = (env: Environment): string => env.LATCHKEY_AGENT_FILE || configPath('agent.json');

/** Throws when there is no credential, or when one is malformed. */
export async function readCredentials(env: Environment): Promise<Credentials> {
  const usageKey = await readUsageKey(env);
  const agent = await readAgent(env);
  if (usageKey === undefined && agent === undefined)
    throw new CommandError(
      'there is no usage key and no paired agent',
      'Set LATCHKEY_USAGE_KEY or LATCHKEY_USAGE_KEY_FILE, or run latchkey-mcp pair.',
      2,
    );
  return { url: env.LATCHKEY_URL || 'http://127.0.0.1:8000', usageKey, agent };
}

async function readUsageKey(env: Environment): Promise<string | undefined> {
  const { LATCHKEY_USAGE_KEY: given, LATCHKEY_USAGE_KEY_FILE: path } = env;
  if (given && path)
    throw new CommandError(
      'LATCHKEY_USAGE_KEY and LATCHKEY_USAGE_KEY_FILE are both set',
      'Set one of them.',
      2,
    );
  const text = path
    ? await readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
        throw new CommandError(
          `LATCHKEY_USAGE_KEY_FILE cannot be read: ${code}`,
          'Give the path of a file with the usage key.',
          2,
        );
      })
    : given;
  const usageKey = text?.trim() || undefined;
  // Throws for a text that cannot be a key, without repeating it.
  if (usageKey !== undefined) usageKeyHash(usageKey);
  return usageKey;
}

async function readAgent(env: Environment): Promise<Agent | undefined> {
  const { LATCHKEY_TRIGGERS_URL: url, LATCHKEY_TRIGGERS_TOKEN: token } = env;
  if (token) {
    if (!url)
      throw new CommandError(
        'LATCHKEY_TRIGGERS_TOKEN is set without LATCHKEY_TRIGGERS_URL',
        'Set the URL of the trigger service.',
        2,
      );
    if (tokenSchema.safeParse(token).success) return { url, token };
    throw new CommandError(
      'LATCHKEY_TRIGGERS_TOKEN is not the token of an agent',
      'Unset it, and run latchkey-mcp pair.',
      2,
    );
  }
  const path = agentPath(env);
  const agent = parseAgent(path, await readPrivate(path));
  if (agent && url && url !== agent.url)
    throw new CommandError(
      `the agent is paired with ${agent.url}: its token is not sent to ${url}`,
      'Run latchkey-mcp pair, or unset LATCHKEY_TRIGGERS_URL.',
      2,
    );
  return agent;
}

function parseAgent(path: string, text: string | undefined): Agent | undefined {
  if (text === undefined) return undefined;
  try {
    return agentSchema.parse(JSON.parse(text));
  } catch {
    // The text of the error would have a part of the file.
    throw new CommandError(`${path} is not the file of a pairing`, 'Run latchkey-mcp pair.', 2);
  }
}

/** Stores a paired agent in a file that only the user can read. Returns its path. */
export async function saveAgent(env: Environment, agent: Agent): Promise<string> {
  const path = agentPath(env);
  await makePrivateFolder(path);
  await writePrivate(path, `${JSON.stringify(agent)}\n`);
  return path;
}
