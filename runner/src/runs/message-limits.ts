/** Limits of messages of an action process, which checks them before it sends, and the host. */

export const MAX_FETCH_HEADERS = 200;
export const MAX_SPECIFIER_CHARS = 2_000;
