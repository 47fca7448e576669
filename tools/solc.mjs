// The npm package `solc` (WASM) behind solc's command line.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** Returns the reply to --version. Keeps it for `tools/solc`: loading the WASM takes a second. */
function version() {
  const full = require('solc').version().replace('.Emscripten.clang', '');
  const text = `solc, the solidity compiler commandline interface\nVersion: ${full}.Linux.g++\n`;
  const cache = fileURLToPath(new URL('../node_modules/.cache/solc', import.meta.url));
  mkdirSync(cache, { recursive: true });
  // Renamed, because other commands of forge may read it at any time.
  const written = `${cache}/${process.pid}`;
  writeFileSync(written, text);
  renameSync(written, `${cache}/${require('solc/package.json').version}`);
  return text;
}

// NOTE: no process.exit after the write, which would cut the pipe.
process.stdout.write(
  process.argv.includes('--version') ? version() : require('solc').compile(readFileSync(0, 'utf8')),
);
