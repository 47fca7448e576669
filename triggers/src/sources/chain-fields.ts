/** Fields of the configs of chain triggers. */
import { badRequest } from '@latchkey/http';
import { parseAddress } from '@latchkey/protocol';
import type { AbiEvent, Address } from 'viem';
import { parseEventSignature } from './event-signature.ts';

/** Maximum length of a signature, or of an ABI in JSON. */
export const MAX_SIGNATURE_CHARACTERS = 4_000;

export function parseContract(text: string, field: string): Address {
  const address = parseAddress(text);
  if (address) return address;
  throw /^0x[0-9a-fA-F]{40}$/.test(text)
    ? badRequest(`body.config.${field}: the checksum, which is in the case of the letters, is wrong.`, {
        fix: 'Copy the address again, or write it in lower case when you know that it is right.',
      })
    : badRequest(`body.config.${field}: expected an address: 0x and 40 hex digits.`);
}

export function parseEvent(signature: string, field: string): AbiEvent {
  try {
    return parseEventSignature(signature);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : '';
    throw badRequest(`body.config.${field}: ${reason}`, {
      fix: 'Copy the event from the ABI of the contract, or write it: Transfer(address indexed from, address indexed to, uint256 value).',
    });
  }
}

export function parseBlock(wire: number | string, field: string): number {
  const number =
    typeof wire === 'number' ? wire : /^0x[0-9a-fA-F]{1,14}$/.test(wire) ? Number(wire) : Number.NaN;
  if (!Number.isSafeInteger(number) || number < 0)
    throw badRequest(`body.config.${field}: expected a block number, as an integer or a 0x string.`);
  return number;
}
