/**
 * Records the session in docs/images/cli.cast (asciicast v2) on a running stack: `node packages/cli/script/record.ts <url of the relayer>`, after a
 * build. Output is real; pauses are those of a reader.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const [url = 'http://127.0.0.1:8000'] = process.argv.slice(2);

const lines = [
  'latchkey account new --name Greetings',
  "WALLET=$(latchkey wallets add Signer | awk '/^wallet/ {print $2}')",
  'latchkey groups add Signers --wallet $WALLET',
  'latchkey keys add Runner --execute-in 1 --save',
  'latchkey init . > /dev/null && cat actions/sign.ts',
  'latchkey actions deploy actions/sign.ts --group 1 --dry-run',
  'latchkey actions deploy actions/sign.ts --group 1 --yes',
  'latchkey explain $(latchkey actions cid actions/sign.ts) --wallet $WALLET',
  'latchkey actions run actions/sign.ts --param pkpId=$WALLET --param name=you',
  'latchkey runs list',
  'latchkey credit show',
];

const home = mkdtempSync(join(tmpdir(), 'latchkey-record-'));
writeFileSync(
  join(home, 'latchkey'),
  `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'packages/cli/dist/main.js')}' "$@"\n`,
  { mode: 0o755 },
);
const project = join(home, 'greetings');
mkdirSync(project);

const events: [number, 'o', string][] = [];
let time = 0.5;
const write = (text: string, pause: number): void => {
  events.push([Number(time.toFixed(3)), 'o', text]);
  time += pause;
};
/** Prints the variables after a line, so that the next line has them. */
const MARK = '--- variables';
let variables = '';
for (const line of lines) {
  write('$ ', 0.6);
  for (const character of line) write(character, 0.03);
  write('\r\n', 0.4);
  const script = `${variables}\n{ ${line}; } 2>&1 && echo "${MARK} WALLET=$WALLET"`;
  const { stdout, status } = spawnSync('sh', ['-c', script], {
    cwd: project,
    encoding: 'utf8',
    env: { PATH: `${home}:${process.env.PATH}`, HOME: home, LATCHKEY_URL: url },
  });
  if (status !== 0) throw new Error(`${line}\n${stdout}`);
  const [output = '', kept = ''] = stdout.split(`${MARK} `);
  variables = kept.trim();
  if (output !== '') write(output.replaceAll('\n', '\r\n'), 1.5);
}
rmSync(home, { recursive: true });
const header = { version: 2, width: 140, height: 40, title: 'latchkey' };
writeFileSync(
  join(root, 'docs/images/cli.cast'),
  `${[header, ...events].map((event) => JSON.stringify(event)).join('\n')}\n`,
);
