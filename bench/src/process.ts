import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type Process = {
  /** Sends a message. Resolves to the answer. One message at a time. */
  ask<Answer>(message: object): Promise<Answer>;
  [Symbol.dispose]: () => void;
};

/** Starts a file of this folder as a process that ends with the scope. */
export function startProcess(file: string): Process {
  const child: ChildProcess = fork(join(import.meta.dirname, file), { serialization: 'advanced' });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${file} ended`);
  });
  // It also ends when it is no longer needed.
  ended.catch(() => {});
  return {
    async ask<Answer>(message: object): Promise<Answer> {
      const answered = new Promise((resolve) => child.once('message', resolve));
      child.send(message);
      const answer = await Promise.race([answered, ended]);
      return answer as Answer;
    },
    [Symbol.dispose]: () => child.kill(),
  };
}

/** Answers each message of the parent process; call it in a forked process. The process ends with its parent. */
export function answer<Message, Answer>(handle: (message: Message) => Promise<Answer>): void {
  process.on('message', async (message: Message) => process.send?.(await handle(message)));
  process.once('disconnect', () => process.exit());
}
