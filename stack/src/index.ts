export { type DevAccount, devAccount } from './accounts.ts';
export { choosePorts } from './ports.ts';
export { root, StackError } from './root.ts';
export { type Stack, type StackOptions, startStack } from './stack.ts';
export { temporaryDataDir } from './temporary-data-dir.ts';
