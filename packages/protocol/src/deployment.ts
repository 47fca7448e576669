import { type Address, getAddress, isAddress } from 'viem';
import { z } from 'zod';

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: true }), 'not an address')
  .transform((text): Address => getAddress(text));

const deployment = z.object({
  /** EIP-155 id; the file is `deployments/<chainId>.json`. */
  chainId: z.int().positive(),
  /** The diamond. */
  address,
  /** Block of the deployment: there are no logs before it. */
  startBlock: z.int().nonnegative(),
  /** Facet name to address. */
  facets: z.record(z.string(), address),
});

export type Deployment = z.output<typeof deployment>;

/** The value of a `deployments/<chainId>.json`, checked. Throws a ZodError that names what is wrong. */
export function parseDeployment(value: unknown): Deployment {
  return deployment.parse(value);
}
