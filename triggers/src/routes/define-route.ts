import { routeDefiner } from '@latchkey/http';
import type { LiveUser } from '../auth/authenticators.ts';
import type { SessionUser } from '../auth/sessions.ts';

export const defineRoute = routeDefiner<{
  agentToken: string;
  agentOrSession: LiveUser;
  session: SessionUser;
}>();
