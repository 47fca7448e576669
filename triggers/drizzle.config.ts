import { defineConfig } from 'drizzle-kit';

/** `drizzle-kit generate` writes the migration of a changed schema. */
export default defineConfig({
  dialect: 'postgresql',
  schema: './src/db/schema.ts',
  out: './src/db/migrations',
});
