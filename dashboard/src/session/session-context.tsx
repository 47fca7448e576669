import type { TriggersClient } from '@latchkey/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react';
import type { Config } from '../config.ts';
import type { Session } from './session.ts';

type SessionState = {
  config: Config;
  session: Session | undefined;
  /** Starts a session and drops everything that was loaded for the previous one. */
  open: (session: Session) => void;
  close: () => void;
};

/** Key of the query that has the client of the trigger service. */
export const TRIGGERS_LOGIN = ['triggers-login'];

const SessionContext = createContext<SessionState | undefined>(undefined);

export function SessionProvider({ config, children }: { config: Config; children: ReactNode }) {
  const [session, setSession] = useState<Session>();
  const queries = useQueryClient();
  const open = useCallback(
    (next: Session) => {
      queries.clear();
      setSession(next);
    },
    [queries],
  );
  const close = useCallback(() => {
    const triggers = queries.getQueryData<TriggersClient>(TRIGGERS_LOGIN);
    // When the logout fails, the token expires by itself.
    triggers?.logOutOfTriggers().catch(() => {});
    queries.clear();
    setSession(undefined);
  }, [queries]);
  const state = useMemo(() => ({ config, session, open, close }), [config, session, open, close]);
  return <SessionContext value={state}>{children}</SessionContext>;
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
