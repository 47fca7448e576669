import type { ServerResponse } from 'node:http';

let ending: { res: ServerResponse; body: Buffer }[] = [];

/**
 * Ends a reply after the requests that the event loop reads in this turn. A client that sleeps is woken by the first of
 * these replies and is awake for the others: on a virtual machine a wake-up costs more than sending the bytes.
 */
export function endTogether(res: ServerResponse, body: Buffer): void {
  if (ending.length === 0) setImmediate(endAll);
  ending.push({ res, body });
}

function endAll(): void {
  const replies = ending;
  ending = [];
  for (const { res, body } of replies) res.end(body);
}
