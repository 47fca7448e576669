import { routeDefiner } from '@latchkey/http';
import type { User } from '../auth/authenticators.ts';

export const defineRoute = routeDefiner<{ agentToken: string; agentOrSession: User }>();
