/** Runs at most `maxConcurrent` tasks concurrently, the others in the order of arrival. */
export function createTurns(maxConcurrent: number): (work: () => Promise<void>) => void {
  const waiting: (() => Promise<void>)[] = [];
  let atOnce = 0;
  const startWaiting = (): void => {
    while (atOnce < maxConcurrent) {
      const next = waiting.shift();
      if (!next) return;
      atOnce += 1;
      void next().finally(() => {
        atOnce -= 1;
        startWaiting();
      });
    }
  };
  return (work) => {
    waiting.push(work);
    startWaiting();
  };
}
