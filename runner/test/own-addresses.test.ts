import { fileURLToPath } from 'node:url';
import { hasPublicNetwork, runInPublicNetwork } from '@latchkey/testing/public-network';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('own-addresses.ts', import.meta.url));

test.skipIf(!hasPublicNetwork())(
  'a fetch connects to no address of this machine, public or not, unless it is allowed',
  async () => {
    const { outcomes, refused, allowed } = (await runInPublicNetwork(program)) as {
      outcomes: Record<string, string>;
      refused: number;
      allowed: string;
    };
    expect(Object.entries(outcomes).filter(([, outcome]) => outcome !== 'FetchBlockedError')).toEqual([]);
    expect(Object.keys(outcomes)).toHaveLength(26);
    expect([refused, allowed]).toEqual([0, 'reached']);
  },
);
