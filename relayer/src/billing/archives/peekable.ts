/** Items of a sequence, of which the next one can be looked at. */
export type Peekable<T> = {
  readonly head: T | undefined;
  take: () => Promise<void>;
  close: () => Promise<void>;
};

export async function peekable<T>(items: AsyncIterable<T>): Promise<Peekable<T>> {
  const iterator = items[Symbol.asyncIterator]();
  let head: T | undefined;
  const take = async () => {
    const next = await iterator.next();
    head = next.done ? undefined : next.value;
  };
  await take();
  return {
    get head() {
      return head;
    },
    take,
    close: async () => void (await iterator.return?.()),
  };
}
