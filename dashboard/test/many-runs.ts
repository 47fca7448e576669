import type { APIResponse, Page } from 'playwright-core';

const MINUTE_MS = 60_000;

/** Answers `list_runs` with `count` runs, one per minute, which are copies of the newest run of the account. */
export async function pretendRuns(page: Page, count: number) {
  const newest = Date.now();
  const timeOf = (index: number) => new Date(newest - index * MINUTE_MS);
  const all = Array.from({ length: count }, (_, index) => ({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    started_at: timeOf(index).toISOString(),
  }));
  let reply: APIResponse | undefined;
  await page.route(/\/list_runs\?/, async (route) => {
    const asked = new URL(route.request().url()).searchParams;
    reply ??= await route.fetch();
    const [like] = (await reply.json()) as object[];
    const first = all.findIndex(({ id }) => id === asked.get('before')) + 1;
    const runs = all.slice(first, first + Number(asked.get('page_size')));
    await route.fulfill({ response: reply, json: runs.map((run) => ({ ...like, ...run })) });
  });
  return { timeOf };
}
