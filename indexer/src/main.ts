// Starts the indexer: `node indexer/src/main.ts`, with the settings of service/config.ts.
// NOTE Ponder loads every file in src as one of its handlers, where this one has no effect.
if (import.meta.main) {
  const { supervise } = await import('../service/supervise.ts');
  await supervise();
}
