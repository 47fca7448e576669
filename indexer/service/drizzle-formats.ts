/**
 * Node parses the `exports` of a package, 180 KB in drizzle-orm, for each of its modules to learn its format. With this
 * module loaded first, the indexer starts with half of the processor time and 90 MB less.
 */
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier.startsWith('.') && context.parentURL?.includes('/node_modules/drizzle-orm/')
      ? { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
      : nextResolve(specifier, context),
});
