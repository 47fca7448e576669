export { type DevAccount, devAccount } from './accounts.ts';
export { choosePorts } from './ports.ts';
export { root, StackError } from './root.ts';
export { type Stack, startStack } from './stack.ts';
export type { StackOptions } from './start.ts';
export { temporaryDataDir } from './temporary-data-dir.ts';
