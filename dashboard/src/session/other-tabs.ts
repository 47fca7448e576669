/** Tells the other tabs of this browser when an account signs out. */
import type { Session } from './session.ts';

const CHANNEL = 'latchkey.signed-out';

export function tellOtherTabs(session: Session): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(session.name);
  channel.close();
}

/** Calls `onSignedOut` when another tab signs the same account out. Returns the function that ends this. */
export function listenToOtherTabs(session: Session, onSignedOut: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }) => {
    if (data === session.name) onSignedOut();
  };
  return () => channel.close();
}
