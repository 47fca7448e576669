/** Decisions by one block: all reads of a decision are at its hash, at every endpoint of the node. */
import { isDeepStrictEqual } from 'node:util';
import type { Heads } from '@latchkey/chain/heads';
import type { Hash } from 'viem';
import { BehindError, type Block, staleness } from './blocks.ts';
import type { Endpoint, Views } from './contract.ts';

/** Number of endpoints that must give the same answer. A single endpoint is trusted alone. */
const AGREEING = 2;

type Decided<T> = { block: Block; value: T };

/**
 * Returns what `reads` finds at the newest block that the node knows. Rejects with a BehindError when that is too old, or when fewer
 * than two of several endpoints agree.
 *
 * @param reads Called once per endpoint. Its values are compared.
 * @param minBlock An announced block before it is not used: the endpoint can have a later one.
 */
export type Decide = <T>(reads: (views: Views) => Promise<T>, minBlock?: bigint) => Promise<Decided<T>>;

export type DecisionsOptions = {
  endpoints: readonly Endpoint[];
  /** Undefined when blocks are not announced: then every decision first asks for the latest block. */
  heads: Pick<Heads, 'confirmed'> | undefined;
  /** Seconds; 0 means no limit. */
  maxAgeSec: number;
  /** Called with each block that enough endpoints agree on, also when it is too old. */
  onBlock: (block: Block) => void;
};

export function createDecisions(options: DecisionsOptions): Decide {
  const { endpoints, heads, maxAgeSec, onBlock } = options;
  const needed = neededOf(endpoints.length);

  const decideAt = async <T>(
    block: Block,
    reads: (views: Views) => Promise<T>,
  ): Promise<Outcome<Decided<T>>> => {
    const answers = endpoints.map(async (endpoint) => {
      const [own, value] = await Promise.all([
        // One of several endpoints could forge the time of an old block.
        needed === 1 ? block : endpoint.block(block.hash),
        reads(endpoint.viewsAt(block.hash)),
      ]);
      return { block: own, value };
    });
    const { values, errors } = await collect(answers, (found) => shared(found, needed) !== undefined);
    const value = shared(values, needed);
    if (value) onBlock(value.block);
    return { value, errors };
  };

  return async (reads, minBlock = 0n) => {
    const announced = heads?.confirmed();
    if (announced && announced.number >= minBlock && !staleness(announced, maxAgeSec)) {
      const { value } = await decideAt(announced, reads);
      // An endpoint can announce a block before it answers at it.
      if (value && !staleness(value.block, maxAgeSec)) return value;
    }
    const latest = await collect(
      endpoints.map((endpoint) => endpoint.latest()),
      (found) => found.length >= needed,
    );
    const errors = [...latest.errors];
    for (const block of newestFirst(latest.values)) {
      const decided = await decideAt(block, reads);
      if (decided.value) return requireFresh(decided.value, maxAgeSec);
      errors.push(...decided.errors);
    }
    throw errors.find((error) => error instanceof BehindError) ?? disagreement(latest.values, needed, errors);
  };
}

const neededOf = (count: number): number => Math.min(AGREEING, count);

/** Returns a value that occurs at least `needed` times, undefined when none does. */
const shared = <T>(values: T[], needed: number): T | undefined =>
  values.find((value) => values.filter((other) => isDeepStrictEqual(other, value)).length >= needed);

/** Resolves to the value that enough endpoints give. Rejects with a BehindError when they differ. */
export async function agree<T>(answers: Promise<T>[]): Promise<T> {
  const needed = neededOf(answers.length);
  const boxed = answers.map(async (answer) => ({ value: await answer }));
  const { values, errors } = await collect(boxed, (found) => shared(found, needed) !== undefined);
  const box = shared(values, needed);
  if (box) return box.value;
  if (needed > 1 && values.length >= needed)
    throw new BehindError(`fewer than ${needed} RPC endpoints agree`);
  throw new AggregateError(errors, 'the chain does not answer');
}

type Outcome<T> = { value: T | undefined; errors: unknown[] };

function requireFresh<T>(decided: Decided<T>, maxAgeSec: number): Decided<T> {
  const reason = staleness(decided.block, maxAgeSec);
  if (reason !== undefined) throw new BehindError(reason);
  return decided;
}

/** Returns the error for the case that no block could be decided by, given the known blocks. */
const disagreement = (known: Block[], needed: number, errors: unknown[]): Error =>
  needed > 1 && known.length >= needed
    ? new BehindError(`fewer than ${needed} RPC endpoints agree`)
    : new AggregateError(errors, 'the chain does not answer');

/** Two endpoints can name the same block: returns each once. */
const newestFirst = (blocks: Block[]): Block[] =>
  [...new Map(blocks.map((block): [Hash, Block] => [block.hash, block])).values()].toSorted((a, b) =>
    Number(b.number - a.number),
  );

/** Resolves to the values so far once they are enough or all answers are in: a silent endpoint does not delay a decision. */
function collect<T>(
  answers: Promise<T>[],
  areEnough: (values: T[]) => boolean,
): Promise<{ values: T[]; errors: unknown[] }> {
  const values: T[] = [];
  const errors: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const answer of answers)
    void answer
      .then(
        (value) => values.push(value),
        (error: unknown) => errors.push(error),
      )
      .then(() => {
        if (areEnough(values) || values.length + errors.length === answers.length) resolve();
      });
  return promise.then(() => ({ values, errors }));
}
