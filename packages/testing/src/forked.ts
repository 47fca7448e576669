/** Programs of benchmarks in processes of their own, which answer messages. */
import { type ChildProcess, fork, type Serializable } from 'node:child_process';
import { once } from 'node:events';

export type Forked = {
  /** Sends a message. Resolves to the answer. One message at a time. */
  ask<Answer>(message: Serializable): Promise<Answer>;
  [Symbol.dispose]: () => void;
};

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Starts a file as a process that ends with the scope, or when a signal ends this process. */
export function startForked(file: URL): Forked {
  const child: ChildProcess = fork(file, { serialization: 'advanced' });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${file.pathname} ended`);
  });
  // The process also ends when it is no longer needed.
  ended.catch(() => {});
  // The process ends itself, and removes the processes that it started. At a signal it would not.
  const disconnect = () => {
    if (child.connected) child.disconnect();
  };
  for (const signal of SIGNALS) process.once(signal, disconnect);
  return {
    async ask<Answer>(message: Serializable): Promise<Answer> {
      const answered = new Promise((resolve) => child.once('message', resolve));
      child.send(message);
      const answer = await Promise.race([answered, ended]);
      return answer as Answer;
    },
    [Symbol.dispose]() {
      for (const signal of SIGNALS) process.off(signal, disconnect);
      disconnect();
    },
  };
}

/** Answers each message of the parent process; call it in a forked process. The process ends with its parent. */
export function answer<Message, Answer>(handle: (message: Message) => Promise<Answer>): void {
  process.on('message', async (message: Message) => process.send?.(await handle(message)));
  process.once('disconnect', () => process.exit());
  // Ctrl-C also reaches this process.
  process.once('SIGINT', () => process.exit());
}
