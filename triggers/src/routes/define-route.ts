import { routeDefiner } from '@latchkey/http';
import type { User } from '../auth/authenticators.ts';
import type { SessionUser } from '../auth/sessions.ts';

export const defineRoute = routeDefiner<{ agentToken: string; agentOrSession: User; session: SessionUser }>();
