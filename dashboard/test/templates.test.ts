import { cidHash, cidOf } from '@latchkey/protocol';
import { hasChromium } from '@latchkey/testing/chromium';
import { describe, expect, test } from 'vitest';
import { withValue } from '../src/pages/actions/param-fields.tsx';
import { requestForm } from '../src/pages/actions/param-forms.ts';
import { buildPolicy, policyOf } from '../src/pages/actions/policy-code.ts';
import { templates } from '../src/pages/actions/templates.ts';
import { newManagedAccount, openSignedIn } from './accounts.ts';
import { expectAccessible, expectFits, useChromium } from './browser.ts';

test.each(Object.entries(templates))('%s has the CID of the repository', async (_name, { source, cid }) => {
  const built = 'policy' in source ? buildPolicy(source.policy) : source;
  expect('code' in built && (await cidOf(built.code))).toBe(cid);
});

test.each([
  [{}, 'to', '0x1', { to: '0x1' }],
  [{ a: 1, to: '0x1', b: 2 }, 'to', '0x2', { a: 1, to: '0x2', b: 2 }],
  [{ to: '0x1', b: 2 }, 'to', '', { b: 2 }],
  [{}, 'transaction.to', '0x1', { transaction: { to: '0x1' } }],
  [{ transaction: { to: '0x1', value: '1' } }, 'transaction.to', '', { transaction: { value: '1' } }],
  [{ transaction: { to: '0x1' } }, 'transaction.to', '', {}],
  [{ transaction: 'text' }, 'transaction.to', '0x1', { transaction: { to: '0x1' } }],
] as const)('a field of the form changes %j at %s to %j', (params, path, value, changed) => {
  expect(withValue(params, path, value)).toEqual(changed);
});

test('the fields of a form follow the kind of the request', () => {
  const form = requestForm(['message', 'hash']);
  const shown = (kind?: string) => form.fieldsOf(kind ? { kind } : {}).map(({ path }) => path);
  expect(form.params).toEqual({ kind: 'message' });
  expect(shown('message')).toEqual(['kind', 'pkpId', 'message']);
  expect(shown('hash')).toEqual(['kind', 'pkpId', 'hash']);
  // Written by hand in the JSON.
  expect(shown('toString')).toEqual(['kind', 'pkpId']);
  expect(shown()).toEqual(['kind', 'pkpId']);
});

test('built code has its policy, and other code none', () => {
  const rule = { name: 'any', effect: 'allow', kind: 'transaction', chains: 'any', to: 'any', fee: 'any' };
  const built = buildPolicy(JSON.stringify({ version: 1, rules: [{ ...rule, data: 'any', value: 'any' }] }));
  if ('error' in built) throw new Error(built.error);
  expect(built.kinds).toEqual(['send_transaction', 'sign_transaction']);
  const read = policyOf(built.code);
  expect(read).toMatchObject({ code: built.code, kinds: built.kinds, explanation: built.explanation });
  // Its text builds the same code.
  expect(buildPolicy(read?.text ?? '')).toMatchObject({ code: built.code });
  expect(policyOf(`${built.code} `)).toBeNull();
  expect(policyOf(built.code.replace('"any"', '"all"'))).toBeNull();
  expect(policyOf('const main = () => "PolicyError"')).toBeNull();
});

test('a malformed policy has an error that names the field', () => {
  expect(buildPolicy('{"version":1,"rules":[]}')).toEqual({ error: expect.stringMatching(/^rules: /) });
  expect(buildPolicy('{')).toEqual({ error: expect.stringMatching(/^This is not JSON: .*line 1 column 2/) });
  expect(buildPolicy('{"version":1,"version":1,"rules":[]}')).toEqual({ error: expect.any(String) });
});

describe.runIf(hasChromium)('templates', () => {
  useChromium();

  test('a standard action is registered as it is, and its page has a form of its parameters', async () => {
    const account = await newManagedAccount();
    const { walletAddress } = await account.client.createWallet({ name: 'Signer' });
    await using dashboard = await openSignedIn(account, { path: '/actions' });
    const { page } = dashboard;
    await page.getByRole('link', { name: 'Templates' }).first().click();
    await page.getByRole('heading', { name: 'Templates' }).waitFor();
    expect(await page.getByRole('link', { name: /^Use the template/ }).count()).toBe(6);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Use the template “Send a transaction”' }).click();
    const { cid } = templates['send-transaction'] ?? { cid: '' };
    await page.getByTitle(cid).waitFor();
    await page.getByRole('combobox', { name: 'Wallet' }).click();
    await page.getByRole('option', { name: /^Signer/ }).click();
    await page.getByLabel('Chain id').fill('8453');
    const parameters = page.getByLabel('Parameters');
    expect(JSON.parse(await parameters.inputValue())).toEqual({ pkpId: walletAddress, chainId: '8453' });
    await parameters.fill('{ "chainId": 1 }');
    expect(await page.getByLabel('Chain id').inputValue()).toBe('1');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Register the action' }).click();
    await page.getByText('It has the CID of the action.').waitFor();
    expect((await account.client.listActions()).items).toMatchObject([{ cidHash: cidHash(cid) }]);
    await page.getByLabel('Highest fee per gas').fill('1000000000');
    expect(JSON.parse(await parameters.inputValue())).toEqual({ maxFeePerGas: '1000000000' });
  });

  test('a template is registered in a group, and run from its page with the form', async () => {
    const account = await newManagedAccount();
    const { client } = account;
    const { walletAddress } = await client.createWallet({ name: 'Signer' });
    const { groupId } = await client.addGroup({ name: 'Signing', description: '', pkpIds: [walletAddress] });
    const { usageKey } = await client.addUsageApiKey({ name: 'Server', executeInGroups: [groupId] });
    const path = '/actions/new?template=use-wallet';
    await using dashboard = await openSignedIn(account, { path, width: 320 });
    const { page } = dashboard;
    const register = page.getByRole('region', { name: 'Register this action' });
    await register.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: /^Signing/ }).click();
    await expectFits(page);
    await register.getByRole('button', { name: 'Register the action' }).click();
    await page.getByText('It has the CID of the action.').waitFor();
    await page.locator('input[type=password]').fill(usageKey);
    await page.getByRole('combobox', { name: 'Wallet' }).click();
    await page.getByRole('option', { name: /^Signer/ }).click();
    await page.getByLabel('Message').fill('hello');
    await page.getByLabel('Message').press('Control+Enter');
    await page.getByRole('region', { name: 'Response' }).getByText('"signature": "0x').waitFor();
    // The fields follow the kind.
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'send_transaction' }).click();
    await page.getByLabel('Chain id').waitFor();
    expect(await page.getByLabel('Message').count()).toBe(0);
    await expectFits(page);
    await expectAccessible(page);
  });

  test('a policy is changed, explained, run and registered, and its next version is a policy too', async () => {
    const account = await newManagedAccount();
    const { client } = account;
    const { walletAddress } = await client.createWallet({ name: 'Signer' });
    const { groupId } = await client.addGroup({
      name: 'Open',
      description: '',
      cids: [0n],
      pkpIds: [walletAddress],
    });
    const { usageKey } = await client.addUsageApiKey({ name: 'Server', executeInGroups: [groupId] });
    const path = '/actions/new?template=sign-message';
    await using dashboard = await openSignedIn(account, { path, width: 375, colorScheme: 'dark' });
    const { page } = dashboard;
    const explanation = page.getByRole('region', { name: 'The policy in sentences' });
    const registration = page.getByRole('button', { name: 'Register the action' });
    await explanation.getByText('app.example.com').first().waitFor();
    await page.getByTitle(templates['sign-message']?.cid ?? '').waitFor();
    await page.locator('input[type=password]').fill(usageKey);
    await page.getByRole('combobox', { name: 'Wallet' }).click();
    await page.getByRole('option', { name: /^Signer/ }).click();
    await page.getByLabel('Message').fill('another text');
    const policy = page.getByRole('textbox', { name: 'Policy' });
    const text = await policy.inputValue();
    await policy.fill(text.replace('"prefix"', '"beginning"'));
    await page.getByText(/^rules\.0\.text/).waitFor();
    expect(await registration.isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Run the action' }).isDisabled()).toBe(true);
    await expectAccessible(page);
    const own = text.replace('app.example.com wants you', 'latchkey.example wants you');
    await policy.fill(own);
    await explanation.getByText('latchkey.example').waitFor();
    await expectFits(page);
    await expectAccessible(page);
    // The key and the parameters outlive the changes.
    await policy.press('Control+Enter');
    await page.getByRole('region', { name: 'Error' }).getByText('PolicyError').first().waitFor();
    await registration.click();
    await page.getByText('It has the CID of the action.').waitFor();
    await explanation.getByText('latchkey.example').waitFor();
    await page.getByRole('combobox', { name: 'Wallet' }).waitFor();
    await expectFits(page);
    await expectAccessible(page);

    await page.getByRole('link', { name: 'Publish a new version' }).click();
    await policy.waitFor();
    const publish = page.getByRole('button', { name: 'Publish the version' });
    await page.getByText('This is the code of the version before.').waitFor();
    await policy.fill(
      (await policy.inputValue()).replace('latchkey.example wants', 'www.latchkey.example wants'),
    );
    await page.getByRole('table', { name: 'What changes' }).waitFor();
    await page.getByRole('button', { name: 'Show the changes' }).click();
    const changes = page.getByRole('dialog').getByRole('textbox', { name: 'Changes of the code' });
    await changes.getByText('www.latchkey.example').first().waitFor();
    await page.keyboard.press('Escape');
    await publish.click();
    await page.getByText('It has the CID of the action.').waitFor();
    await explanation.getByText('www.latchkey.example').waitFor();
    const [next, before] = await client.listActionCodes();
    const { code } = await client.getActionCode({ cid: next?.cid ?? '' });
    expect(policyOf(code)?.text).toContain('www.latchkey.example wants you');
    expect(next?.replaces).toBe(cidHash(before?.cid ?? ''));
    // The comparison shows policies, and not the code around them.
    await page.getByRole('button', { name: /^Compare with/ }).click();
    await changes.getByText('www.latchkey.example').first().waitFor();
    expect(await changes.textContent()).not.toContain('RequestError');
  });

  test('an unknown template says so', async () => {
    await using dashboard = await openSignedIn(await newManagedAccount(), {
      path: '/actions/new?template=x',
    });
    await dashboard.page.getByRole('heading', { name: 'There is no such template' }).waitFor();
  });
});
