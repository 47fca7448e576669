import type { AccountRequest } from '@latchkey/sdk';

/** The request as a command, with places for what the relayer does not store: the key, the body, and values in the path. */
export function curlOf(
  relayerUrl: string,
  { method, route }: Pick<AccountRequest, 'method' | 'route'>,
): string {
  const path = route.replaceAll(/:(\w+)/g, (_, name: string) => `<${name}>`).replaceAll("'", '%27');
  const lines = [
    `curl -s -X ${method} '${relayerUrl.replace(/\/$/, '')}${path}'`,
    `-H "X-Api-Key: $LATCHKEY_KEY"`,
  ];
  if (method === 'POST') lines.push(`-H 'Content-Type: application/json'`, '-d @body.json');
  return lines.join(' \\\n  ');
}
