export { type DevAccount, devAccount } from './accounts.ts';
export { StackError } from './root.ts';
export { type Stack, type StackOptions, startStack } from './stack.ts';
export { temporaryDataDir } from './temporary-data-dir.ts';
