/** The sign-in page calls these functions of `session.ts`. Their modules are loaded by the first call, so that the page is small. */
import type * as sessions from './session.ts';

const load = () => import('./session.ts');

export const openWithAccountKey: typeof sessions.openWithAccountKey = async (...args) =>
  (await load()).openWithAccountKey(...args);

export const openManagedAccount: typeof sessions.openManagedAccount = async (...args) =>
  (await load()).openManagedAccount(...args);
