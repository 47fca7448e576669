/** Starting again with the same settings would end the same way. */
export const EXIT_CONFIG = 64;
/** Starting again helps: the kept tables are checked against the chain, and dropped when it left them. */
export const EXIT_RESTART = 75;
