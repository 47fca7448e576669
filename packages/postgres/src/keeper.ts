// Outlives the process that started a server, and stops the server when that process is gone without having done so.
// Argument: the process id of the server. Standard input: a pipe that the starting process holds open.
const pid = Number(process.argv[2]);
process.stdin.resume().on('end', () => {
  try {
    process.kill(pid, 'SIGQUIT');
  } catch {
    // The server has ended.
  }
});
