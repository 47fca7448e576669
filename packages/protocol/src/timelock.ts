/**
 * keccak256 of the runtime code of contracts/Timelock.sol, which has no immutable values. Its delay is in its storage. Keep the hashes of
 * earlier compilations: timelocks on chains have them.
 */
export const TIMELOCK_CODE_HASHES = [
  '0xa9ac0d65f38a6f183b1586d624fd392446358cb20dc924e0a29f36ef93c7cec2',
] as const;
