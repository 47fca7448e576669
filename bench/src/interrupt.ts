/** Ctrl-C, or SIGTERM: benchmarks stop what they have started. A second signal ends the process immediately. */

const controller = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => controller.abort());

export const interruption: AbortSignal = controller.signal;

/** Rejects at an interrupt. */
export const interrupted = new Promise<never>((_, reject) => {
  interruption.addEventListener('abort', () => reject(new Error('interrupted')));
});
// No unhandled rejection while no benchmark waits for it.
interrupted.catch(() => {});
