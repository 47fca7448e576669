#!/usr/bin/env node
// The compiler as forge expects an executable: the npm package `solc` (WASM) behind solc's own command line.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The full version, kept on disk: loading the WASM costs a second and forge asks on every build. */
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
  // NOTE: no process.exit after the write: it would cut the pipe.
  process.stdout.write(require('solc').compile(readFileSync(0, 'utf8')));
}
