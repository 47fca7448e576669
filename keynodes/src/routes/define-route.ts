import { routeDefiner } from '@latchkey/http';

/** Requests carry their own signatures. */
export const defineRoute = routeDefiner<Record<never, never>>();
