/** Makes a passkey of an approver, who needs no account, and shows its public key. */
import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Hex } from 'viem';
import { Form, text } from '../../components/form.tsx';
import { Page } from '../../components/page.tsx';
import { CodeBlock, Section } from '../../components/section.tsx';
import { SecretText } from '../../components/values.tsx';
import { t } from '../../i18n.ts';
import { createApprover, hasPasskeys } from '../../passkeys.ts';

export default function NewPasskey() {
  const [publicKey, setPublicKey] = useState<Hex>();
  return (
    <Page
      title={t('New passkey')}
      about={t(
        'An action can name passkeys as approvers: a fingerprint, a face or the PIN of a device then approves its runs, without a wallet and without an account.',
      )}
    >
      <Stack maw={640}>
        {publicKey === undefined ? <Create onDone={setPublicKey} /> : <Created publicKey={publicKey} />}
      </Stack>
    </Page>
  );
}

function Create({ onDone }: { onDone: (publicKey: Hex) => void }) {
  const [name, setName] = useState('');
  if (!hasPasskeys())
    return (
      <Text size="sm">
        {t(
          'This browser offers no passkeys here. Open the page under a domain, not an IP address, in a browser that has them.',
        )}
      </Text>
    );
  return (
    <Form
      label={t('Make the passkey')}
      send={() => createApprover(`${name} (approver)`)}
      onDone={onDone}
      align="start"
    >
      <TextInput
        label={t('Name')}
        description={t('The device lists the passkey under it.')}
        {...text(name, setName)}
        maxLength={64}
        w="100%"
        required
        data-autofocus
      />
    </Form>
  );
}

function Created({ publicKey }: { publicKey: Hex }) {
  return (
    <Section
      title={t('The public key of the passkey')}
      about={t(
        'Give it to the author of the action. It is public. The passkey itself is in your device or its password manager: this page keeps nothing, and cannot show the public key again.',
      )}
    >
      <SecretText value={publicKey} label={t('Public key')} copy={t('Copy the public key')} />
      <CodeBlock label={t('Code of the action')}>
        {`passkeyApprovers: ['${publicKey}'],\npasskeyRpId: '${location.hostname}',`}
      </CodeBlock>
    </Section>
  );
}
