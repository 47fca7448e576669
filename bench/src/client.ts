/** Sends one request to the HTTP API; a `body` makes it a POST. Throws unless it succeeds. */
export async function call<Reply>(
  url: string,
  { key, body }: { key?: string; body?: unknown } = {},
): Promise<Reply> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', ...(key !== undefined && { 'X-Api-Key': key }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${text}`);
  return JSON.parse(text) as Reply;
}

export type Account = { key: string };

export async function newAccount(baseUrl: string): Promise<Account> {
  const { api_key: key } = await call<{ api_key: string }>(`${baseUrl}/new_account`, {
    body: { account_name: 'bench', account_description: '' },
  });
  return { key };
}

export const newGroup = {
  group_name: 'bench group',
  group_description: 'About as long as a typical description.',
  pkp_ids_permitted: [],
  cid_hashes_permitted: [],
};
