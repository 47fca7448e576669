/** `npm run messages`: writes the catalogue of the texts of the dashboard. `npm run house -- --check` compares it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE, catalogueOf, textsOfDashboard } from './house/messages.ts';
import { readCheckout } from './house/sources.ts';

const root = join(import.meta.dirname, '..');
writeFileSync(join(root, CATALOGUE), catalogueOf(textsOfDashboard(readCheckout(root))));
