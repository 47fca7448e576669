/** Chromium, for tests of pages. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** In the order of preference: the shell has no windows, and takes a third less processor time for the same pages. */
const paths = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const executablePath = [process.env.CHROMIUM_PATH, ...paths].find(
  (path) => path !== undefined && existsSync(path),
);

/** False on a machine without Chromium: tests in the browser are skipped there. */
export const hasChromium = executablePath !== undefined;
if (!hasChromium)
  console.warn(`Skips tests in the browser: found neither ${paths.join(' nor ')}. Or set CHROMIUM_PATH.`);

/** Starts a browser that sends nothing but the requests of its pages. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
