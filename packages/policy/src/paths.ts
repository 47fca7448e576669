/** Paths to values: names or numbers of members with dots between them, `[0]` for an element of an array, `[*]` for each. */
import type { AbiMember, AbiType, AbiValue } from './abi.ts';

/** A member, an element, or each element. */
type Step = { member: string } | { element: number } | 'each';

class PathError extends Error {
  override readonly name = 'PathError';
}

const MAX_STEPS = 32;

/** The empty path is the value itself. */
function parsePath(path: string): Step[] {
  const steps: Step[] = [];
  let rest = path;
  while (rest !== '') {
    const [whole, name, index] =
      /^(?:([A-Za-z_$][\w$]*|\d{1,4})|\[(\*|\d{1,4})\])(?:\.(?=[\w$])|(?=\[)|$)/.exec(rest) ?? [];
    if (whole === undefined || steps.length >= MAX_STEPS) throw new PathError(`"${path}" is not a path`);
    if (name !== undefined) steps.push({ member: name });
    else steps.push(index === '*' ? 'each' : { element: Number(index) });
    rest = rest.slice(whole.length);
  }
  return steps;
}

/** Struct types of EIP-712 are tuples with a name; they can contain themselves. */
const memberIndex = (members: AbiMember[], name: string): number => {
  const named = members.findIndex((member) => member.name === name);
  return named < 0 && /^\d+$/.test(name) && Number(name) < members.length ? Number(name) : named;
};

/** Returns the type of the values at a path. Throws `PathError`. */
export function typeAt(members: AbiMember[], path: string): AbiType {
  let type: AbiType = { kind: 'tuple', members };
  for (const step of parsePath(path)) {
    if (typeof step === 'object' && 'member' in step) {
      const found: AbiMember | undefined =
        type.kind === 'tuple' ? type.members[memberIndex(type.members, step.member)] : undefined;
      if (!found) throw new PathError(`"${path}": there is no ${step.member}`);
      type = found.type;
    } else {
      if (type.kind !== 'array') throw new PathError(`"${path}": not an array`);
      const { length } = type;
      if (step !== 'each' && length !== undefined && step.element >= length)
        throw new PathError(`"${path}": the array has ${length} elements`);
      type = type.of;
    }
  }
  return type;
}

export type Selected = { type: AbiType; value: AbiValue };

/** Returns the values at a path, undefined when an element with a number does not exist. */
export function select(members: AbiMember[], values: AbiValue[], path: string): Selected[] | undefined {
  let found: Selected[] = [{ type: { kind: 'tuple', members }, value: values }];
  for (const step of parsePath(path)) {
    const next: Selected[] = [];
    for (const { type, value } of found) {
      const list = value as AbiValue[];
      if (type.kind === 'tuple' && typeof step === 'object' && 'member' in step) {
        const index = memberIndex(type.members, step.member);
        const member = type.members[index];
        if (!member) throw new PathError(`"${path}": there is no ${step.member}`);
        next.push({ type: member.type, value: list[index] as AbiValue });
      } else if (type.kind === 'array' && step === 'each')
        for (const element of list) next.push({ type: type.of, value: element });
      else if (type.kind === 'array' && typeof step === 'object' && 'element' in step) {
        const element = list[step.element];
        if (element === undefined) return undefined;
        next.push({ type: type.of, value: element });
      } else throw new PathError(`"${path}" does not fit the type`);
    }
    found = next;
  }
  return found;
}
