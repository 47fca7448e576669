/** Limits of messages of an action process, which checks them before it sends, and the host. */

export const MAX_FETCH_HEADERS = 200;
export const MAX_SPECIFIER_CHARS = 2_000;
/** The longest run that a relayer can ask for. */
export const MAX_FETCH_TIMEOUT_MS = 3_600_000;
export const MAX_PENDING_CHARS = 1_000;
