import { useNavigate } from '@tanstack/react-router';
import { Page } from '../../components/page.tsx';
import { t } from '../../i18n.ts';
import { WithTriggers } from '../../session/triggers.tsx';
import { TriggerForm, useShowSaved } from './trigger-form.tsx';

export default function NewTrigger() {
  const navigate = useNavigate();
  const showSaved = useShowSaved();
  return (
    <Page
      title={t('New trigger')}
      about={t('Choose what fires it, what it runs, and the key that permits the run.')}
    >
      <WithTriggers>
        {(client) => (
          <TriggerForm
            client={client}
            onDone={(created) => {
              showSaved(t('The trigger was created.'), created);
              void navigate({ to: `/triggers/${created.id}` });
            }}
          />
        )}
      </WithTriggers>
    </Page>
  );
}
