/** The functions of `session.ts` that the sign-in page calls. What they need is loaded then, so that the page is small. */
import type * as sessions from './session.ts';

const load = () => import('./session.ts');

export const openWithAccountKey: typeof sessions.openWithAccountKey = async (...args) =>
  (await load()).openWithAccountKey(...args);

export const openManagedAccount: typeof sessions.openManagedAccount = async (...args) =>
  (await load()).openManagedAccount(...args);
