import { Textarea, type TextareaProps } from '@mantine/core';

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
        currentTarget.setCustomValidity(isObject(currentTarget.value) ? '' : 'Write a JSON object: { … }');
        onChange(currentTarget.value);
      }}
      autosize
      spellCheck={false}
      ff="monospace"
    />
  );
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
