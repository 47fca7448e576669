import { type Address, getAddress, isAddress } from 'viem';
import { z } from 'zod';

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: true }), 'not an address')
  .transform((text): Address => getAddress(text));

const deployment = z.object({
  /** EIP-155 id. The file is `deployments/<chainId>.json`. */
  chainId: z.int().positive(),
  /** Address of the diamond. */
  address,
  /** Block of the deployment: no logs precede it. */
  startBlock: z.int().nonnegative(),
  /** Addresses by facet name. */
  facets: z.record(z.string(), address),
});

export type Deployment = z.output<typeof deployment>;

/** Validates the content of `deployments/<chainId>.json`. Throws a ZodError that names the wrong field. */
export function parseDeployment(value: unknown): Deployment {
  return deployment.parse(value);
}
