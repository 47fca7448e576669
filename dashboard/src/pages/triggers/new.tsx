import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Page } from '../../components/page.tsx';
import { WithTriggers } from '../../session/triggers.tsx';
import { TriggerForm } from './trigger-form.tsx';

export default function NewTrigger() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (
    <Page title="New trigger" about="Choose what fires it, what it runs, and the key that permits the run.">
      <WithTriggers>
        {(client) => (
          <TriggerForm
            client={client}
            onDone={({ id, warnings }) => {
              void queries.invalidateQueries({ queryKey: ['triggers'] });
              notifications.show({ message: 'The trigger was created.', color: 'teal' });
              for (const { message } of warnings)
                notifications.show({ message, color: 'orange', autoClose: 15_000 });
              void navigate({ to: `/triggers/${id}` });
            }}
          />
        )}
      </WithTriggers>
    </Page>
  );
}
