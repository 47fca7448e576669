import { Button, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { ErrorMessage } from './error-message.tsx';

/** A form that sends one write. `onDone` is called once it is visible, and not when the user did not confirm it. */
export function WriteForm<Result>({
  label,
  send,
  onDone,
  isInline = false,
  isDisabled = false,
  children,
}: {
  label: string;
  send: () => Promise<Result | undefined>;
  onDone: (result: Result) => void;
  /** A small form in a page, not the content of a dialog. */
  isInline?: boolean;
  isDisabled?: boolean;
  children: ReactNode;
}) {
  const sending = useMutation({
    mutationFn: send,
    onSuccess: (result) => {
      if (result !== undefined) onDone(result);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    sending.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {children}
        {sending.error && <ErrorMessage error={sending.error} />}
        <Button
          type="submit"
          loading={sending.isPending}
          disabled={isDisabled}
          {...(isInline && { variant: 'default', style: { alignSelf: 'start' } })}
        >
          {label}
        </Button>
      </Stack>
    </form>
  );
}

export type Labels = { name: string; description: string };

/** The name and the description of a group, key, action or wallet. */
export function LabelFields({ value, onChange }: { value: Labels; onChange: (labels: Labels) => void }) {
  return (
    <>
      <TextInput
        label="Name"
        value={value.name}
        onChange={({ currentTarget }) => onChange({ ...value, name: currentTarget.value })}
        maxLength={128}
        required
        data-autofocus
      />
      <Textarea
        label="Description"
        value={value.description}
        onChange={({ currentTarget }) => onChange({ ...value, description: currentTarget.value })}
        maxLength={1_024}
        autosize
        minRows={1}
        maxRows={4}
      />
    </>
  );
}
