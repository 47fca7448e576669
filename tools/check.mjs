// Runs before a program of this repository, on any version of Node: ends with a sentence when something is missing.
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const { dependencies, devDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const has = (path) => existsSync(new URL(path, root));

function findProblem() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (!has('node_modules/')) {
    if (major < 20 || (major === 20 && minor < 19))
      return `This is Node ${process.versions.node}: install Node 20.19 or newer, then run npm ci`;
    return 'The packages are not installed: run npm ci';
  }
  const needed = Object.keys({ ...dependencies, ...devDependencies });
  const missing = needed.filter((name) => !has(`node_modules/${name}/package.json`));
  if (missing.length > 0)
    return `Packages are missing (${missing.slice(0, 3).join(', ')}): run npm ci, without --omit=dev`;
  // Its install script fetches the Node that runs the sources.
  if (!has('node_modules/node/bin/node'))
    return 'The install scripts of the packages have not run: run npm ci, without --ignore-scripts';
  try {
    accessSync(root, constants.W_OK);
  } catch (error) {
    return `The checkout cannot be written (${error.code}): copy it to a directory of yours`;
  }
}

const problem = findProblem();
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}
