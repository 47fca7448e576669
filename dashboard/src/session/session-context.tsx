import { LatchkeyError, type NodeChainConfig, type TriggersClient } from '@latchkey/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { findLoss } from '../components/unsaved.tsx';
import type { Config } from '../config.ts';
import { listenToOtherTabs, tellOtherTabs } from './other-tabs.ts';
import type { Session } from './session.ts';

type SessionState = {
  config: Config;
  chain: NodeChainConfig;
  session: Session | undefined;
  /** True once the relayer has refused the account key: it was replaced elsewhere, or the account was retired. */
  isRefused: boolean;
  /** True once another tab has signed the account out, and this page would have lost something. */
  isEnded: boolean;
  /** Starts a session and drops everything that was loaded for the previous one. */
  open: (session: Session) => void;
  /** Ends the session in this tab, and shows the sign-in page. */
  close: () => void;
  /** Ends the session, also in other tabs with nothing to lose, and loads the page again, so that its memory has no key. */
  signOut: () => void;
  isSigningOut: boolean;
};

/** Key of the query that has the client of the trigger service. */
export const TRIGGERS_LOGIN = ['triggers-login'];

/** Time for the logout from the trigger service before the page is loaded again. Its token expires by itself. */
const LOGOUT_MS = 5_000;

const SessionContext = createContext<SessionState | undefined>(undefined);

export function SessionProvider({
  config,
  chain,
  children,
}: {
  config: Config;
  chain: NodeChainConfig;
  children: ReactNode;
}) {
  const [session, setSession] = useState<Session>();
  const queries = useQueryClient();
  const open = useCallback(
    (next: Session) => {
      queries.clear();
      setSession(next);
    },
    [queries],
  );
  const [isSigningOut, setIsSigningOut] = useState(false);
  const end = useCallback((): Promise<void> => {
    const logout = queries.getQueryData<TriggersClient>(TRIGGERS_LOGIN)?.logOutOfTriggers();
    queries.clear();
    setSession(undefined);
    return Promise.resolve(logout).catch(() => {});
  }, [queries]);
  const close = useCallback(() => void end(), [end]);
  const endAndReload = useCallback(() => {
    setIsSigningOut(true);
    const timeout = new Promise((resolve) => setTimeout(resolve, LOGOUT_MS));
    void Promise.race([end(), timeout]).then(() => location.reload());
  }, [end]);
  const [ended, setEnded] = useState<Session>();
  const isEnded = session !== undefined && ended === session;
  useEffect(() => {
    const onSignedOut = () => (findLoss() === undefined ? endAndReload() : setEnded(session));
    return session && listenToOtherTabs(session, onSignedOut);
  }, [session, endAndReload]);
  const signOut = useCallback(() => {
    // Another tab can have signed in again since.
    if (session && !isEnded) tellOtherTabs(session);
    endAndReload();
  }, [session, isEnded, endAndReload]);
  const isRefused = useRefusal(session);
  const state = useMemo(
    () => ({ config, chain, session, isRefused, isEnded, open, close, signOut, isSigningOut }),
    [config, chain, session, isRefused, isEnded, open, close, signOut, isSigningOut],
  );
  return <SessionContext value={state}>{children}</SessionContext>;
}

/** Whether the account key of the session has been refused. A refused request can be one of a usage key: the account key is tried then. */
function useRefusal(session: Session | undefined): boolean {
  const queries = useQueryClient();
  const [refused, setRefused] = useState<Session>();
  const isChecking = useRef(false);
  useEffect(() => {
    if (session?.mode !== 'api') return undefined;
    const check = async (error: unknown): Promise<void> => {
      if (isChecking.current || !(error instanceof LatchkeyError) || error.status !== 401) return;
      isChecking.current = true;
      const answer = await session.client.listApiKeys({ pageSize: 1 }).catch((fault: unknown) => fault);
      isChecking.current = false;
      if (answer instanceof LatchkeyError && answer.status === 401) setRefused(session);
    };
    const unsubscribe = [
      queries.getQueryCache().subscribe(({ query }) => void check(query.state.error)),
      queries.getMutationCache().subscribe(({ mutation }) => void check(mutation?.state.error)),
    ];
    return () => {
      for (const end of unsubscribe) end();
    };
  }, [session, queries]);
  return session !== undefined && refused === session;
}

/** The session if there is one, and the functions that start and end it. */
export function useSessionState(): SessionState {
  const state = use(SessionContext);
  if (!state) throw new Error('outside of SessionProvider');
  return state;
}

/** The session of a page that is shown only with one. */
export function useSession(): Session {
  const { session } = useSessionState();
  if (!session) throw new Error('no session');
  return session;
}
