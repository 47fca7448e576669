/** The chain id of a local chain: its keys are public, its blocks come on demand, and it has one operator. */
export const LOCAL_CHAIN_ID = 31_337;
