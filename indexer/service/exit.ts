/** Exit status: another start with the same settings would fail too. */
export const EXIT_CONFIG = 64;
/**
 * Exit status: another start recovers. It checks the kept tables against the chain and drops them when the chain left
 * them.
 */
export const EXIT_RESTART = 75;
