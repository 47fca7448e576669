/** The opcodes newer than the Paris fork that the compiled contracts need. */
import { BaseError, type Hex, HttpRequestError, type PublicClient, TimeoutError } from 'viem';
import { InputError } from './inputs.ts';

/** Creation code per opcode that uses it and ends. */
export const PROBES: Record<string, Hex> = {
  // PUSH0, STOP.
  PUSH0: '0x5f00',
  // PUSH1 0 three times, MCOPY, STOP.
  MCOPY: '0x6000600060005e00',
};

/**
 * Throws unless the chain executes all of `PROBES`. forge simulates with the opcodes of its own EVM: without this check, a deployment
 * would pay for facets whose calls fail.
 */
export async function requireOpcodes(client: PublicClient): Promise<void> {
  const missing: string[] = [];
  for (const [name, data] of Object.entries(PROBES)) {
    const isExecuted = await client.call({ data }).then(
      () => true,
      (error: unknown) => {
        if (isOutage(error)) throw error;
        return false;
      },
    );
    if (!isExecuted) missing.push(name);
  }
  if (missing.length !== 0)
    throw new InputError(
      `The chain does not execute ${missing.join(' and ')}, which the compiled contracts use: they need the rules of Cancun. Nothing was sent`,
    );
}

const isOutage = (error: unknown): boolean =>
  !(error instanceof BaseError) ||
  error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !== null;
