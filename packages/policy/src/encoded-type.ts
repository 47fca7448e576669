/** Reads the types of typed data from the text in which EIP-712 encodes them. */
import type { AbiMember } from './abi.ts';
import { encodeType, type Field, structMembers, type Types } from './typed-data.ts';

/**
 * Returns the members of `Mail(Person from,string contents)Person(address wallet)`. Undefined for a name alone. Throws for text that
 * EIP-712 would encode otherwise.
 */
export function membersOfType(text: string): AbiMember[] | undefined {
  if (/^[A-Za-z_$][\w$:.-]*$/.test(text)) return undefined;
  const types: Types = new Map();
  for (const [, name = '', list = ''] of text.matchAll(/([A-Za-z_$][\w$:.-]*)\(([^()]*)\)/g))
    types.set(
      name,
      list.split(',').map((part): Field => {
        const [type = '', field = ''] = part.trim().split(/ +/);
        return { type, name: field };
      }),
    );
  const [primary] = types.keys();
  const encoded = primary === undefined ? undefined : encodeType(types, primary);
  if (primary === undefined || encoded !== text)
    throw new Error(
      `not a type as EIP-712 encodes it, like "Permit(address owner,address spender,uint256 value)"${encoded === undefined ? '' : `: expected ${encoded}`}`,
    );
  return structMembers(types, primary);
}
