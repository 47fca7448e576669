/** A sequence whose next item can be read before it is taken. */
export type Peekable<T> = {
  /** The next item; undefined at the end. */
  readonly head: T | undefined;
  /** Goes on to the item after it. */
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
