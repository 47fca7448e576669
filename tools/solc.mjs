#!/usr/bin/env node
// The compiler as an executable for forge: the npm package `solc` (WASM) behind solc's command line.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Returns the full version. Cached on disk: loading the WASM takes a second, and forge asks on every build. */
function version() {
  const cache = new URL('../node_modules/.cache/solc/', import.meta.url);
  const file = new URL(require('solc/package.json').version, cache);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const full = require('solc').version().replace('.Emscripten.clang', '');
    mkdirSync(cache, { recursive: true });
    writeFileSync(file, full);
    return full;
  }
}

if (process.argv.includes('--version')) {
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${version()}.Linux.g++`);
} else {
  // NOTE: no process.exit after the write, which would cut the pipe.
  process.stdout.write(require('solc').compile(readFileSync(0, 'utf8')));
}
