import { expect, test } from 'vitest';
import { createClient } from './index.ts';

const client = createClient({ url: 'http://localhost', apiKey: 'key' });
const fields = {
  usageKey: 1n,
  name: 'runner',
  description: '',
  expiration: 0n,
  canCreateGroups: false,
  canDeleteGroups: false,
  canCreatePkps: false,
  manageIpfsIdsInGroups: [],
  addPkpToGroups: [],
  removePkpFromGroups: [],
  executeInGroups: [2n],
  spendCapCents: 5,
  spendWindowSeconds: undefined,
  maxRunsPerMinute: undefined,
  maxConcurrency: undefined,
  maxRunSeconds: undefined,
};

test('an update sends every field; a cap that is undefined is removed', async () => {
  expect((await client.prepare.updateUsageApiKey(fields)).request.body).toEqual({
    usage_api_key: `0x${'1'.padStart(64, '0')}`,
    name: 'runner',
    description: '',
    expiration: '0',
    can_create_groups: false,
    can_delete_groups: false,
    can_create_pkps: false,
    manage_ipfs_ids_in_groups: [],
    add_pkp_to_groups: [],
    remove_pkp_from_groups: [],
    execute_in_groups: ['2'],
    spend_cap_cents: 5,
    spend_window_seconds: null,
    max_runs_per_minute: null,
    max_concurrency: null,
    max_run_seconds: null,
  });
});

test.each([
  'name',
  'description',
  'expiration',
  'canCreateGroups',
  'canDeleteGroups',
  'canCreatePkps',
  'manageIpfsIdsInGroups',
  'addPkpToGroups',
  'removePkpFromGroups',
  'executeInGroups',
])('an update without %s is refused before it is sent', async (field) => {
  const error = {
    code: 'configuration',
    message: `${field} is required: updateUsageApiKey replaces all fields of the key`,
    fix: expect.stringContaining('listApiKeys'),
  };
  const omitted = { ...fields, [field]: undefined } as typeof fields;
  await expect(client.prepare.updateUsageApiKey(omitted)).rejects.toMatchObject(error);
  await expect(client.updateUsageApiKey(omitted)).rejects.toMatchObject(error);
});
