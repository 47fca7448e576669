/** Arguments and options that several commands take. */
import { oneOf, parseAction, parseCount, parseGroup, parseTime, parseWallet } from './parse.ts';

export const name = { value: 'text', help: 'name' } as const;
export const description = { value: 'text', help: 'description' } as const;
export const group = { required: true, parse: parseGroup, help: 'id of the group' } as const;
export const action = {
  required: true,
  parse: parseAction,
  help: 'CID of the action, its hash, or "any"',
} as const;
export const wallet = {
  required: true,
  parse: parseWallet,
  help: 'address of the wallet, or "any"',
} as const;
export const store = {
  value: 'place',
  parse: oneOf('keyring', 'file'),
  help: 'keyring or file (default: the keyring where there is one)',
} as const;
export const dryRun = { help: 'prints the changes and the price, and sends nothing' } as const;
export const yes = { help: 'skips the confirmation' } as const;
export const id = { required: true, help: 'id' } as const;

export const pages = {
  pageNumber: { value: 'number', parse: parseCount, help: 'page, from 0' },
  pageSize: { value: 'count', parse: parseCount, help: 'items per page' },
} as const;
export const offsets = {
  offset: { value: 'number', parse: parseCount, help: 'number of items before the page' },
  pageSize: { value: 'count', parse: parseCount, help: 'items per page' },
} as const;
export const period = {
  from: { value: 'time', parse: parseTime, help: 'at this time or later' },
  to: { value: 'time', parse: parseTime, help: 'before this time' },
} as const;
