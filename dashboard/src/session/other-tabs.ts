/** Tells the other tabs of this browser when an account signs out. */
import { apiKeyHash } from '@latchkey/protocol';
import type { Session } from './session.ts';

const CHANNEL = 'latchkey.signed-out';

/** Names the account of a session without its key. */
const nameOf = (session: Session): string =>
  session.mode === 'api' ? String(apiKeyHash(session.accountKey)) : session.address;

export function tellOtherTabs(session: Session): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(nameOf(session));
  channel.close();
}

/** Calls `onSignedOut` when another tab signs the same account out. Returns the function that ends this. */
export function listenToOtherTabs(session: Session, onSignedOut: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  const name = nameOf(session);
  channel.onmessage = ({ data }) => {
    if (data === name) onSignedOut();
  };
  return () => channel.close();
}
