/** Preloaded into a service: on SIGUSR2 it collects garbage, and writes what the process holds as a line of JSON. */
process.on('SIGUSR2', () => {
  for (let pass = 0; pass < 3; pass++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  const report = {
    msg: 'memory',
    heapBytes: heapUsed + external,
    resources: process.getActiveResourcesInfo(),
    listeners: process.eventNames().reduce((sum, event) => sum + process.listenerCount(event), 0),
  };
  process.stdout.write(`${JSON.stringify(report)}\n`);
});
