/** Describes the changes between two readings of the code that decides about keys, for people. */
import { accountConfigAbi } from '@latchkey/protocol';
import { type Hex, toFunctionSelector, toFunctionSignature } from 'viem';
import type { Pins } from './read-pins.ts';

const names = new Map<Hex, string>(
  accountConfigAbi.flatMap((item) =>
    item.type === 'function' ? [[toFunctionSelector(item), toFunctionSignature(item)]] : [],
  ),
);

/** Returns one line per changed route, code or owner; empty when all are equal. */
export function differencesOf(before: Pins, after: Pins): string[] {
  const [old, now] = [routesOf(before), routesOf(after)];
  const selectors = [...new Set([...old.keys(), ...now.keys()])].sort();
  return [
    ...change('code of the diamond', before.diamond, after.diamond),
    ...change('owner', withCode(before.owner), withCode(after.owner)),
    ...selectors.flatMap((selector) =>
      change(
        `${names.get(selector) ?? 'unknown function'} ${selector}`,
        old.get(selector),
        now.get(selector),
      ),
    ),
  ];
}

const change = (what: string, before = 'none', after = 'none'): string[] =>
  before === after ? [] : [`${what}: ${before} → ${after}`];

const withCode = ({ address, codeHash }: { address: string; codeHash: string }): string =>
  `${address} (code ${codeHash})`;

const routesOf = ({ facets }: Pins): Map<Hex, string> =>
  new Map(facets.flatMap((facet) => facet.selectors.map((selector) => [selector, withCode(facet)])));
