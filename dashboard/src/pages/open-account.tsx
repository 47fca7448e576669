import { Card, List } from '@mantine/core';
import { useState } from 'react';
import { Form, LabelFields } from '../components/form.tsx';
import { Page } from '../components/page.tsx';
import { Dimmed } from '../components/section.tsx';
import { t } from '../i18n.ts';
import { useWrite } from '../session/write.tsx';

/** Shown at every path while the connected wallet has no account. */
export function OpenAccount() {
  const write = useWrite();
  const [labels, setLabels] = useState({ name: '', description: '' });
  const create = () =>
    write({
      title: t('Open the account'),
      done: t('The account was opened.'),
      prepare: (client) => client.prepare.newAccount(labels),
      refresh: ['account'],
    });
  return (
    <Page
      title={t('Open an account for this wallet')}
      about={t(
        'The connected wallet owns no account yet. To use another wallet, or an account key, sign out.',
      )}
    >
      <Card withBorder maw={560}>
        <Form label={t('Open the account')} send={create}>
          <List size="sm" spacing={4}>
            <List.Item>
              {t('Only this wallet can change the account. It signs every change and pays the gas.')}
            </List.Item>
            <List.Item>{t('Usage keys that it adds can run actions without the wallet.')}</List.Item>
            <List.Item>{t('Runs cost credit, which you add by card.')}</List.Item>
          </List>
          <LabelFields value={labels} onChange={setLabels} />
          <Dimmed>{t('Name and description are public: they are stored on the chain.')}</Dimmed>
        </Form>
      </Card>
    </Page>
  );
}
