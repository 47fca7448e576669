import { type Activity, createActivity, createTurns, TurnRefusedError } from '@latchkey/service/turns';
import { clientNetwork } from './client-network.ts';
import { tooManyRequests } from './errors.ts';
import type { TurnRequest } from './pipeline.ts';
import type { AnyRoute } from './route.ts';

/** As many as a page of the dashboard sends concurrently. */
const FEW = 8;
const WAITING_PER_ACCOUNT = 64;
const WAITING = 1_024;

type Account = bigint | string;

export type RequestTurnsOptions<Caller> = {
  /** Connections of the database. At most half of them are used, so that work with a price and timers have the others. */
  poolSize: number;
  /** As in `TurnLimits`. */
  manyPerSecond: number;
  /** Returns undefined for a caller without a known account, who has the turns of its address. */
  accountOf: (caller: Caller) => Account | undefined;
  activity?: Activity<Account>;
};

/**
 * Returns `takeTurn` for `mount`: turns between accounts at the requests of authenticated routes without a price, of which each account
 * can send any number. Routes with a price and streams of events have limits of their own.
 */
export function createRequestTurns<Caller>({
  poolSize,
  manyPerSecond,
  accountOf,
  activity = createActivity(),
}: RequestTurnsOptions<Caller>) {
  const take = createTurns<Account>(
    {
      inProgress: Math.ceil(poolSize / 2),
      few: FEW,
      manyPerSecond,
      waiting: WAITING,
      waitingPerAccount: WAITING_PER_ACCOUNT,
    },
    activity,
  );
  return (
    { auth, price, events, waits }: AnyRoute,
    caller: Caller | undefined,
    request: TurnRequest,
  ): Promise<Disposable> | undefined => {
    if (auth === 'none' || caller === undefined) return undefined;
    const account = accountOf(caller) ?? clientNetwork(request.ip);
    if (price === undefined && events === undefined && !waits)
      return take(account, request).catch((thrown: unknown) => {
        if (thrown instanceof TurnRefusedError)
          throw tooManyRequests(`Too many concurrent requests: ${thrown.message}.`, 1);
        // The client closed its side and can still read the reply.
        if (request.signal.aborted) throw tooManyRequests('Too many concurrent requests.', 1);
        throw thrown;
      });
    activity.note(account);
    return undefined;
  };
}
