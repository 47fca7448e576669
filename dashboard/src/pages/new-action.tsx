/** A new action: its code, or a policy of which it is built, a run, and the registration. */
import { Button } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { Missing, Page } from '../components/page.tsx';
import { t } from '../i18n.ts';
import { CodeField, useCid } from './actions/code-field.tsx';
import { DraftNotice, useDraft } from './actions/draft.tsx';
import type { ParamForm } from './actions/param-forms.ts';
import { PolicyEditor } from './actions/policy-editor.tsx';
import { Register } from './actions/register.tsx';
import { RunByKeyboard, RunPanel } from './actions/run-panel.tsx';
import { templates } from './actions/templates.ts';

const EXAMPLE = `// main gets the parameters of the run, and returns its response.
async function main({ name }) {
  console.log('greeting', name);
  return \`hello \${name}\`;
}
`;

export default function NewAction() {
  const { template: name } = useSearch({ from: '/actions/new' });
  if (name === undefined)
    return (
      <Page title={t('New action')} about={about} action={gallery}>
        <Editor draft="new" start={EXAMPLE} form={{ params: { name: 'you' }, fieldsOf: () => [] }} />
      </Page>
    );
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (!template)
    return (
      <Missing
        title={t('There is no such template')}
        why={t('There are other templates.')}
        to="/actions/templates"
      />
    );
  const { title, source, form } = template;
  const shared = { draft: `new.${name}`, title, form };
  return (
    <Page key={name} title={title} about={template.about} action={gallery}>
      {'code' in source ? (
        <Editor {...shared} start={source.code} />
      ) : (
        <Policy {...shared} start={source.policy} />
      )}
    </Page>
  );
}

const about = t(
  'Write the code, run it with a usage key, and register its CID. A key whose groups have every action can run it before that.',
);

const gallery = (
  <Button component={Link} to="/actions/templates" variant="default">
    {t('Templates')}
  </Button>
);

type New = {
  /** The name of its draft. */
  draft: string;
  start: string;
  title?: string;
  form: ParamForm;
};

function Editor({ draft: name, start, title = '', form }: New) {
  const draft = useDraft(name, start);
  const { code, initial, change, clear } = draft;
  const cid = useCid(code);
  return (
    <>
      <DraftNotice draft={draft} />
      <RunByKeyboard>
        <CodeField initial={initial} cid={cid} onChange={change} isRunnable />
        <RunPanel source={{ code }} form={form} />
      </RunByKeyboard>
      <Register code={code} cid={cid} name={title} onRegistered={clear} />
    </>
  );
}

function Policy({ draft, start, title = '', form }: New) {
  return (
    <PolicyEditor
      name={draft}
      start={start}
      about={t(
        'It says what the wallet may sign and send. Put your addresses and amounts in place of those of the example.',
      )}
      form={form}
    >
      {({ code, cid, clear }) => <Register code={code} cid={cid} name={title} onRegistered={clear} />}
    </PolicyEditor>
  );
}
