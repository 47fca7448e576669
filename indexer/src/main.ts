// Starts the indexer: `node indexer/src/main.ts`, settings as in service/config.ts.
// NOTE Ponder loads every file in src as one of its handlers, where this one does nothing.
if (import.meta.main) {
  const { supervise } = await import('../service/supervise.ts');
  await supervise();
}
