/**
 * Groups concurrent questions. A question that is asked while a call of `ask` is in flight waits for the next call, which
 * takes the waiting questions, at most `maxSize`. Each call starts after its questions were asked. `ask` returns the answers in the order of
 * its questions; a failure rejects all of them.
 */
export function batch<Question, Answer>(
  ask: (questions: Question[]) => Promise<Answer[]>,
  { maxSize = Number.POSITIVE_INFINITY } = {},
): (question: Question) => Promise<Answer> {
  type Waiting = { question: Question; resolve: (answer: Answer) => void; reject: (error: unknown) => void };
  const waiting: Waiting[] = [];
  let isAsking = false;

  const askAll = async (): Promise<void> => {
    isAsking = true;
    while (waiting.length > 0) {
      const batched = waiting.splice(0, maxSize);
      try {
        const answers = await ask(batched.map(({ question }) => question));
        for (const [index, { resolve }] of batched.entries()) resolve(answers[index] as Answer);
      } catch (error) {
        for (const { reject } of batched) reject(error);
      }
    }
    isAsking = false;
  };

  return (question) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    waiting.push({ question, resolve, reject });
    if (!isAsking) void askAll();
    return promise;
  };
}
