import { Button, type ButtonProps, Stack, type StackProps, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, type SyntheticEvent, useRef } from 'react';
import { t } from '../i18n.ts';
import { ErrorMessage } from './error-message.tsx';
import { Unsaved } from './unsaved.tsx';

export const text = <Value extends string>(value: Value, set: (value: Value) => void) => ({
  value,
  onChange: ({ currentTarget }: { currentTarget: { value: string } }) => set(currentTarget.value as Value),
});

export const check = (checked: boolean, set: (checked: boolean) => void) => ({
  checked,
  onChange: ({ currentTarget }: { currentTarget: { checked: boolean } }) => set(currentTarget.checked),
});

const inline: ButtonProps = { variant: 'default', style: { alignSelf: 'start' } };

/**
 * Events that change a form, and their targets. Options of a list are elsewhere in the document, but their events are those of the form for
 * React.
 */
const touches = { input: '*', click: '[role=option]', keydown: '[role=combobox]' } as const;

/** A form that sends something. `onDone` is called once that is visible, and not when the user did not confirm it. */
export function Form<Result>({
  label,
  send,
  onDone,
  button,
  isInline,
  children,
  'aria-label': ariaLabel,
  ...layout
}: Pick<StackProps, 'align' | 'gap' | 'maw' | 'aria-label'> & {
  label: string;
  send: () => Promise<Result | undefined>;
  onDone?: (result: Result) => void;
  button?: ButtonProps;
  /** A small form in a page, not the content of a dialog. */
  isInline?: boolean;
  children: ReactNode;
}) {
  const isTouched = useRef(false);
  const sending = useMutation({
    mutationFn: send,
    onSuccess: (result) => {
      if (result === undefined) return;
      isTouched.current = false;
      onDone?.(result);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    sending.mutate();
  };
  const touch = ({ type, target }: SyntheticEvent): void => {
    if ((target as Element).closest(touches[type as keyof typeof touches])) isTouched.current = true;
  };
  return (
    <form onSubmit={submit} onInput={touch} onClick={touch} onKeyDown={touch} aria-label={ariaLabel}>
      <Stack {...layout}>
        {children}
        {sending.error && <ErrorMessage error={sending.error} />}
        <Button type="submit" loading={sending.isPending} {...(isInline && inline)} {...button}>
          {label}
        </Button>
      </Stack>
      {!isInline && (
        <Unsaved isLost={() => isTouched.current}>{t('The values that you entered are lost.')}</Unsaved>
      )}
    </form>
  );
}

/** The rows of a comparison, by the names of the values. */
export const changes = <Values extends { [name: string]: string }>(before: Values, after: Values) =>
  Object.keys(before).map((label) => ({
    label,
    before: before[label] ?? '',
    after: after[label] ?? '',
  }));

export type Labels = { name: string; description: string };

export function LabelFields({ value, onChange }: { value: Labels; onChange: (labels: Labels) => void }) {
  return (
    <>
      <TextInput
        label={t('Name')}
        {...text(value.name, (name) => onChange({ ...value, name }))}
        maxLength={128}
        required
        data-autofocus
      />
      <Textarea
        label={t('Description')}
        {...text(value.description, (description) => onChange({ ...value, description }))}
        maxLength={1_024}
        autosize
        minRows={1}
        maxRows={4}
      />
    </>
  );
}
