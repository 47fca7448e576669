/** The work that has not ended when `main` settles. */
import { MAX_PENDING_CHARS } from '../runs/message-limits.ts';
import { owedRequests } from './channel.ts';
import { releaseIntervals } from './timers.ts';

const MAX_NAMES = 5;
const counted = (count: number, name: string): string => `${count} ${name}${count === 1 ? '' : 's'}`;

/**
 * Lets the event loop end with the work that can end. Returns the warning that names this work, undefined when there is none. Work that the
 * host does not see, as of `crypto.subtle`, is waited for and has no name.
 */
export const releasePending = (): string | undefined => {
  const requests = owedRequests();
  const { timers, intervals } = releaseIntervals();
  const names = requests.slice(0, MAX_NAMES);
  if (requests.length > MAX_NAMES) names.push(`${requests.length - MAX_NAMES} more requests`);
  if (timers > 0) names.push(counted(timers, 'timer'));
  const waits = names.length > 0 ? [`the run waits for: ${names.join(', ')}`] : [];
  const drops = intervals > 0 ? [`the run does not wait for ${counted(intervals, 'interval')}`] : [];
  if (waits.length + drops.length === 0) return undefined;
  const what = [...waits, ...drops].join('; ');
  return `warning: main returned before its work ended: ${what}. Await the work in main, and clear timers`.slice(
    0,
    MAX_PENDING_CHARS,
  );
};
