/** Code of actions from sources of this repository. */
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

/** Returns the code of an action with everything that it imports. The same sources and the same version of esbuild give the same bytes. */
export async function bundleAction(entry: string): Promise<string> {
  const { build, stop } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      entryPoints: [join(root, entry)],
      absWorkingDir: root,
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'neutral',
      target: 'es2024',
      charset: 'utf8',
      legalComments: 'none',
      logLevel: 'silent',
    });
    return outputFiles[0]?.text ?? '';
  } finally {
    await stop();
  }
}
