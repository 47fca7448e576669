/** The gallery of templates of actions. */
import { cidHash } from '@latchkey/protocol';
import { Group, SimpleGrid } from '@mantine/core';
import { Loaded, Page } from '../components/page.tsx';
import { Section } from '../components/section.tsx';
import { ButtonLink, TextLink } from '../components/text-link.tsx';
import { Identifier } from '../components/values.tsx';
import { t } from '../i18n.ts';
import { useActions } from '../queries.ts';
import { templates } from './actions/templates.ts';

export default function Templates() {
  return (
    <Page
      title={t('Templates')}
      about={t(
        'Actions to begin with. Standard actions are registered as they are. A policy says what a wallet may sign and send: change its addresses and amounts first.',
      )}
    >
      <Loaded query={useActions()}>
        {(actions) => (
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            {Object.entries(templates).map(([name, { title, about, cid }]) => (
              <Section key={name} title={title} about={about}>
                <Group gap="xs" justify="space-between">
                  <Identifier value={cid} label={t('Copy the CID')} />
                  <Group gap="xs">
                    {actions.some((action) => action.cidHash === cidHash(cid)) && (
                      <TextLink to="/actions/$cid" params={{ cid }} size="sm">
                        {t('Registered')}
                      </TextLink>
                    )}
                    <ButtonLink
                      to="/actions/new"
                      search={{ template: name }}
                      variant="default"
                      size="xs"
                      aria-label={t('Use the template “{title}”', { title })}
                    >
                      {t('Use the template')}
                    </ButtonLink>
                  </Group>
                </Group>
              </Section>
            ))}
          </SimpleGrid>
        )}
      </Loaded>
    </Page>
  );
}
