/** Sign-in with an account key, which the browser can keep sealed. */
import { Button, Checkbox, PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { check, Form, text } from '../../components/form.tsx';
import { t } from '../../i18n.ts';
import { canDeriveSecrets } from '../../passkeys.ts';
import { openWithAccountKey } from '../../session/open.ts';
import {
  forgetSealedKey,
  type SealedBy,
  sealedBy,
  sealKey,
  sealKeyWithPasskey,
  unsealKey,
} from '../../session/sealed-key.ts';
import { useSessionState } from '../../session/session-context.tsx';

export function WithKey() {
  const [by, setBy] = useState(sealedBy);
  return by ? <Unlock by={by} onForget={() => setBy(undefined)} /> : <EnterKey />;
}

/** How the browser keeps the key. `by` is undefined when it does not. */
type Kept = { by: SealedBy | undefined; passphrase: string };

function EnterKey() {
  const { config, open } = useSessionState();
  const [key, setKey] = useState('');
  const [kept, setKept] = useState<Kept>({ by: undefined, passphrase: '' });
  const signIn = async () => {
    const session = await openWithAccountKey(config, key);
    if (kept.by === 'passkey') await sealKeyWithPasskey(session.accountKey);
    if (kept.by === 'passphrase') await sealKey(session.accountKey, kept.passphrase);
    return session;
  };
  return (
    <Form label={t('Sign in')} send={signIn} onDone={open}>
      <PasswordInput
        label={t('Account key')}
        description={t('It stays in the memory of this page and is sent to the relayer only.')}
        {...text(key, setKey)}
        autoComplete="off"
        required
        data-autofocus
      />
      <Keep kept={kept} onChange={setKept} />
    </Form>
  );
}

function Keep({ kept, onChange }: { kept: Kept; onChange: (kept: Kept) => void }) {
  const { by, passphrase } = kept;
  const [hasPasskeys, setHasPasskeys] = useState(false);
  useEffect(() => {
    canDeriveSecrets().then(setHasPasskeys, () => {});
  }, []);
  const keep = (isKept: boolean): void => {
    const preferred = hasPasskeys ? 'passkey' : 'passphrase';
    onChange({ ...kept, by: isKept ? preferred : undefined });
  };
  return (
    <>
      <Checkbox
        label={t(
          '{hasPasskeys, select, true {Keep it in this browser, sealed} other {Keep it in this browser, sealed with a passphrase}}',
          { hasPasskeys },
        )}
        {...check(by !== undefined, keep)}
      />
      {by && hasPasskeys && (
        <SegmentedControl
          aria-label={t('Sealed with')}
          value={by}
          onChange={(value) => onChange({ ...kept, by: value as SealedBy })}
          data={[
            { value: 'passkey', label: t('Passkey') },
            { value: 'passphrase', label: t('Passphrase') },
          ]}
        />
      )}
      {by === 'passkey' && (
        <Text size="sm">
          {t('Your device makes a passkey for this. It opens the key in this browser with one touch.')}
        </Text>
      )}
      {by === 'passphrase' && (
        <PasswordInput
          label={t('Passphrase')}
          description={t('At least 12 characters. It cannot be recovered.')}
          minLength={12}
          {...text(passphrase, (changed) => onChange({ ...kept, passphrase: changed }))}
          autoComplete="new-password"
          required
        />
      )}
    </>
  );
}

function Unlock({ by, onForget }: { by: SealedBy; onForget: () => void }) {
  const { config, open } = useSessionState();
  const [passphrase, setPassphrase] = useState('');
  const unlock = async () => openWithAccountKey(config, await unsealKey(passphrase));
  const forget = (): void => {
    forgetSealedKey();
    onForget();
  };
  return (
    <Stack>
      <Form
        label={by === 'passkey' ? t('Sign in with the passkey') : t('Sign in')}
        send={unlock}
        onDone={open}
      >
        {by === 'passkey' ? (
          <Text size="sm">{t('This browser has an account key that is sealed with a passkey.')}</Text>
        ) : (
          <PasswordInput
            label={t('Passphrase')}
            description={t('This browser has an account key that is sealed with it.')}
            {...text(passphrase, setPassphrase)}
            autoComplete="current-password"
            required
          />
        )}
      </Form>
      <Button variant="subtle" color="gray" onClick={forget}>
        {t('Delete the sealed key from this browser')}
      </Button>
    </Stack>
  );
}
