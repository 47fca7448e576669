import { Center, Container, Loader } from '@mantine/core';
import { Outlet, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { t } from './i18n.ts';
import { SignIn } from './pages/sign-in.tsx';
import { useSessionState } from './session/session-context.tsx';

const load = () => import('./signed-in.tsx');
const SignedIn = lazy(load);
const Approver = lazy(() => import('./approver.tsx'));

/**
 * Without a session it shows the sign-in page at every path but those for approvers and the operator, and loads what is needed afterwards once
 * the user enters something. The operator's page has a login of its own, and nothing of a session.
 */
export function Shell() {
  const { session, isSigningOut } = useSessionState();
  const { pathname } = useLocation();
  useEffect(() => {
    const loadAhead = (): void => void load().catch(() => {});
    addEventListener('input', loadAhead, { once: true });
    return () => removeEventListener('input', loadAhead);
  }, []);
  // The page is loaded again in a moment.
  if (isSigningOut) return null;
  const isForApprovers = pathname.startsWith('/approvals/');
  const isForOperator = pathname === '/operator';
  if (!session && !isForApprovers && !isForOperator) return <SignIn />;
  const ofSession = session ? <SignedIn /> : <Approver />;
  return (
    <Suspense
      fallback={
        <Center h="100vh" role="status" aria-label={t('Loading')}>
          <Loader aria-hidden />
        </Center>
      }
    >
      {isForOperator ? (
        <Container component="main" size="xl" py="xl">
          <Outlet />
        </Container>
      ) : (
        ofSession
      )}
    </Suspense>
  );
}
