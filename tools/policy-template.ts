/** `node tools/policy-template.ts`: makes the template of actions with a policy from `actions/within-policy.ts`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileTemplate } from './policy/template.ts';

const path = join(import.meta.dirname, '../packages/policy/src/generated/template.ts');
writeFileSync(path, await compileTemplate());
