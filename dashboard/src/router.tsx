/** Paths of the pages. Each page is loaded when it is opened. */
import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { type LoadPage, lazyPage, PageFailed } from './lazy-page.tsx';
import { NotFound } from './pages/not-found.tsx';
import { readShown } from './pages/requests/shown.ts';
import { readFilters } from './pages/runs/filters.ts';
import { Shell } from './shell.tsx';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const at = <const Path extends string>(path: Path, load: LoadPage) =>
  createRoute({ getParentRoute: () => root, path, component: lazyPage(load) });

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: readFilters,
  component: lazyPage(() => import('./pages/runs.tsx')),
});

const requests = createRoute({
  getParentRoute: () => root,
  path: '/requests',
  validateSearch: readShown,
  component: lazyPage(() => import('./pages/requests.tsx')),
});

const newAction = createRoute({
  getParentRoute: () => root,
  path: '/actions/new',
  validateSearch: ({ template }): { template?: string } => (typeof template === 'string' ? { template } : {}),
  component: lazyPage(() => import('./pages/new-action.tsx')),
});

/** A payment that left the page comes back with its secret in the URL, which is dropped immediately. */
const billing = createRoute({
  getParentRoute: () => root,
  path: '/billing',
  beforeLoad: ({ search }) => {
    if (Object.keys(search).length > 0) throw redirect({ to: '/billing', search: {}, replace: true });
  },
  component: lazyPage(() => import('./pages/billing.tsx')),
});

const routes = [
  at('/', () => import('./pages/overview.tsx')),
  at('/groups', () => import('./pages/groups.tsx')),
  at('/groups/$id', () => import('./pages/group.tsx')),
  at('/keys', () => import('./pages/keys.tsx')),
  at('/keys/$hash', () => import('./pages/key.tsx')),
  at('/actions', () => import('./pages/actions.tsx')),
  newAction,
  at('/actions/templates', () => import('./pages/templates.tsx')),
  at('/actions/$cid', () => import('./pages/action.tsx')),
  at('/actions/$cid/publish', () => import('./pages/publish.tsx')),
  at('/wallets', () => import('./pages/wallets.tsx')),
  at('/wallets/$address', () => import('./pages/wallet.tsx')),
  at('/transactions/$id', () => import('./pages/transaction.tsx')),
  at('/secrets', () => import('./pages/secrets.tsx')),
  at('/triggers', () => import('./pages/triggers.tsx')),
  at('/triggers/new', () => import('./pages/triggers/new.tsx')),
  at('/triggers/alerts', () => import('./pages/triggers/alerts.tsx')),
  at('/triggers/$id', () => import('./pages/triggers/trigger.tsx')),
  at('/triggers/runs/$runId', () => import('./pages/triggers/run.tsx')),
  at('/agents', () => import('./pages/agents.tsx')),
  at('/webhooks', () => import('./pages/webhooks.tsx')),
  runs,
  at('/runs/$id', () => import('./pages/run.tsx')),
  billing,
  at('/billing/receipts/$intent', () => import('./pages/billing/receipt.tsx')),
  at('/approvals', () => import('./pages/approvals.tsx')),
  at('/approvals/passkey', () => import('./pages/approvals/new-passkey.tsx')),
  at('/approvals/$id', () => import('./pages/approval.tsx')),
  requests,
  at('/audit', () => import('./pages/audit.tsx')),
  at('/settings', () => import('./pages/settings.tsx')),
  at('/operator', () => import('./pages/operator.tsx')),
];

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailed,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
