/** Sign-in with an account key, which the browser can keep sealed. */
import { Button, Checkbox, PasswordInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { check, Form, text } from '../../components/form.tsx';
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
    <Form label="Sign in" send={signIn} onDone={open}>
      <PasswordInput
        label="Account key"
        description="It stays in the memory of this page and is sent to the relayer only."
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
        label={`Keep it in this browser, sealed${hasPasskeys ? '' : ' with a passphrase'}`}
        {...check(by !== undefined, keep)}
      />
      {by && hasPasskeys && (
        <SegmentedControl
          aria-label="Sealed with"
          value={by}
          onChange={(value) => onChange({ ...kept, by: value as SealedBy })}
          data={[
            { value: 'passkey', label: 'Passkey' },
            { value: 'passphrase', label: 'Passphrase' },
          ]}
        />
      )}
      {by === 'passkey' && (
        <Text size="sm">
          Your device makes a passkey for this. It opens the key in this browser with one touch.
        </Text>
      )}
      {by === 'passphrase' && (
        <PasswordInput
          label="Passphrase"
          description="At least 12 characters. It cannot be recovered."
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
      <Form label={by === 'passkey' ? 'Sign in with the passkey' : 'Sign in'} send={unlock} onDone={open}>
        {by === 'passkey' ? (
          <Text size="sm">This browser has an account key that is sealed with a passkey.</Text>
        ) : (
          <PasswordInput
            label="Passphrase"
            description="This browser has an account key that is sealed with it."
            {...text(passphrase, setPassphrase)}
            autoComplete="current-password"
            required
          />
        )}
      </Form>
      <Button variant="subtle" color="gray" onClick={forget}>
        Delete the sealed key from this browser
      </Button>
    </Stack>
  );
}
