import { Textarea, type TextareaProps } from '@mantine/core';
import { parseObject } from './json-object.ts';

/** Text that must be a JSON object. The form is not sent before it is one. */
export function JsonField({
  value,
  onChange,
  ...props
}: Omit<TextareaProps, 'value' | 'onChange'> & { value: string; onChange: (text: string) => void }) {
  return (
    <Textarea
      {...props}
      value={value}
      onChange={({ currentTarget }) => {
        const parsed = parseObject(currentTarget.value);
        currentTarget.setCustomValidity('error' in parsed ? parsed.error : '');
        onChange(currentTarget.value);
      }}
      autosize
      spellCheck={false}
      ff="monospace"
    />
  );
}
