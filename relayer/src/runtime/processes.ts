/** True while a process has this id. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process of another user is alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
