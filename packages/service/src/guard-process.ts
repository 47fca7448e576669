// Outlives the process that started it, and ends process groups when that process is gone without ending them.
// Standard input: a line `+pid signal` per started process group, `-pid` per ended one.
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

const STOP_DEADLINE_MS = 20_000;
const POLL_MS = 50;

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

const running = new Map<number, NodeJS.Signals>();
for await (const line of createInterface({ input: process.stdin })) {
  const [pid, stopSignal] = line.slice(1).split(' ');
  if (line.startsWith('+')) running.set(Number(pid), stopSignal as NodeJS.Signals);
  else running.delete(Number(pid));
}

for (const [pid, stopSignal] of [...running].reverse()) {
  const deadline = Date.now() + STOP_DEADLINE_MS;
  send(pid, stopSignal);
  while (send(pid, 0) && Date.now() < deadline) await setTimeout(POLL_MS);
  send(-pid, 'SIGKILL');
}
