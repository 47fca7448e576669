/** Answers that decide something: two nodes must give the same one, or numbers of which one node alone has no power. */
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ChainUnavailableError } from './errors.ts';
import { CATCH_UP_POLL_MS, type Endpoint, type Node, type Pool } from './node-pool.ts';

/** An answer, or an error that is one, such as a revert. */
type Given<E extends Endpoint, Answer> = { node: Node<E>; content: unknown } & (
  | { answer: Answer }
  | { refusal: unknown }
);

class ContradictionError extends ChainUnavailableError {}

export type Compared<Answer> = {
  /** The compared part of an answer: nodes add fields of their own. */
  contentOf: (answer: Answer) => unknown;
  /** The compared part of an error that is an answer: errors of two nodes have different URLs and texts. */
  refusalOf: (error: unknown) => unknown;
  /** Time for which nodes that contradict each other are asked again: one can be a block behind. */
  patienceMs: number;
};

/**
 * Resolves to the answer that two nodes give, or when one is enough, of the only one that answers. Asks a third one only when one of them
 * fails, is slow or contradicts the other. Rejects with `ChainUnavailableError` when the nodes contradict each other.
 */
export async function agree<E extends Endpoint, Answer>(
  pool: Pool<E>,
  question: (endpoint: E) => Promise<Answer>,
  compared: Compared<Answer>,
): Promise<Answer> {
  const deadlineMs = performance.now() + compared.patienceMs;
  for (;;)
    try {
      return await agreeNow(pool, question, compared);
    } catch (error) {
      if (!(error instanceof ContradictionError) || performance.now() >= deadlineMs) throw error;
      await delay(CATCH_UP_POLL_MS);
    }
}

/**
 * Resolves to the highest number that two nodes reach: the one that two of them tell, or the second highest of all. One node of three can neither
 * raise nor lower it; of two nodes that differ it is the lower one. Needs as many nodes as `agree`. For numbers that honest nodes tell
 * differently, such as fees.
 */
export async function heldByTwo<E extends Endpoint, N extends bigint | number>(
  pool: Pool<E>,
  question: (endpoint: E) => Promise<N>,
  refusalOf: Compared<N>['refusalOf'],
): Promise<N> {
  const contentOf = (answer: N) => answer;
  const { given, errors } = await gather(pool, question, { contentOf, refusalOf });
  const told = given.flatMap((each) => ('answer' in each ? [each.answer] : []));
  const refused = given.find((each) => 'refusal' in each);
  if (told.length < (refused ? 2 : pool.needed)) throw refused?.refusal ?? unanswered(pool, given, errors);
  return secondHighest(told);
}

/** Returns the highest number that two of them reach, or the only one. */
export function secondHighest<N extends bigint | number>(numbers: readonly N[]): N {
  const [first, second = first] = numbers.toSorted((a, b) => (a > b ? -1 : 1));
  return second as N;
}

async function agreeNow<E extends Endpoint, Answer>(
  pool: Pool<E>,
  question: (endpoint: E) => Promise<Answer>,
  compared: Omit<Compared<Answer>, 'patienceMs'>,
): Promise<Answer> {
  const { given, errors } = await gather(pool, question, compared);
  const agreed = sharedOf(given) ?? (pool.needed === 1 && given.length === 1 ? given[0] : undefined);
  if (!agreed) throw unanswered(pool, given, errors);
  if ('refusal' in agreed) throw agreed.refusal;
  // A node without an answer can be behind.
  for (const { node, content, ...other } of given)
    if ('answer' in other && given.length > 1 && !isDeepStrictEqual(content, agreed.content))
      pool.leave(node, new Error('its answer differs from the answer of two other nodes'));
  return agreed.answer;
}

/** Resolves to the answers and refusals of two nodes, or of more when those differ. */
const gather = <E extends Endpoint, Answer>(
  pool: Pool<E>,
  question: (endpoint: E) => Promise<Answer>,
  { contentOf, refusalOf }: Omit<Compared<Answer>, 'patienceMs'>,
) => {
  pool.probe();
  return collect(pool, async (node): Promise<Given<E, Answer>> => {
    try {
      const answer = await pool.askOne(node, question);
      return { node, answer, content: contentOf(answer) };
    } catch (error) {
      if (pool.isFault(error)) throw error;
      return { node, refusal: error, content: refusalOf(error) };
    }
  });
};

function unanswered<E extends Endpoint>(
  { nodes }: Pool<E>,
  given: readonly { node: Node<E> }[],
  errors: readonly unknown[],
): unknown {
  if (given.length === 0) return errors[0];
  const positions = given.map(({ node }) => node.position).join(', ');
  return given.length > 1
    ? new ContradictionError(`RPC nodes contradict each other: ${positions}`)
    : new ChainUnavailableError(`only RPC node ${positions} of ${nodes.length} answers`);
}

const sharedOf = <G extends { content: unknown }>(given: readonly G[]): G | undefined =>
  given.find(({ content }) => given.filter((other) => isDeepStrictEqual(content, other.content)).length > 1);

/** Asks two nodes, and further ones until two answers are the same or no node is left. `ask` rejects when a node gives no answer. */
async function collect<E extends Endpoint, G extends { content: unknown }>(
  pool: Pool<E>,
  ask: (node: Node<E>) => Promise<G>,
): Promise<{ given: G[]; errors: unknown[] }> {
  const left = pool.ranked();
  const given: G[] = [];
  const errors: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let pending = 0;
  const askNext = (): void => {
    const node = left.shift();
    if (!node) return;
    pending++;
    void ask(node)
      .then(
        (answer) => void given.push(answer),
        (error: unknown) => {
          pool.leave(node, error);
          errors.push(error);
        },
      )
      .then(() => {
        pending--;
        if (sharedOf(given)) return resolve();
        const isContradicted = pending === 0 && given.length > 1;
        if (pending + given.length < pool.needed || isContradicted) askNext();
        if (pending === 0) resolve();
      });
  };
  const awake = left.filter((node) => !pool.isResting(node)).length;
  askNext();
  if (Math.max(pool.needed, awake) > 1) askNext();
  await promise;
  return { given, errors };
}
