/** Asks for an answer by its name. */
export type AskTogether = <Answer>(name: string, ask: () => Promise<Answer>) => Promise<Answer>;

/**
 * Returns a function that asks one question per name at a time. Calls during it share the next question, which is asked after all of
 * them: an answer is never older than its call. Questions of one name have one type of answer.
 */
export function createAskTogether(): AskTogether {
  type Asked = { answer: Promise<unknown>; next: Promise<unknown> | undefined };
  const asked = new Map<string, Asked>();
  const send = (name: string, ask: () => Promise<unknown>): Promise<unknown> => {
    const own: Asked = { answer: ask(), next: undefined };
    asked.set(name, own);
    const forget = () => {
      if (asked.get(name) === own) asked.delete(name);
    };
    own.answer.then(forget, forget);
    return own.answer;
  };
  return <Answer>(name: string, ask: () => Promise<Answer>) => {
    const before = asked.get(name);
    const sendNext = () => send(name, ask);
    if (!before) return sendNext() as Promise<Answer>;
    before.next ??= before.answer.then(sendNext, sendNext);
    return before.next as Promise<Answer>;
  };
}
