import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { text } from '../../components/form.tsx';
import { t } from '../../i18n.ts';

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** The local day of an expiration as a date field has it; empty for no expiry. */
export function toDateField(expiration: bigint): string {
  if (expiration === 0n) return '';
  const time = new Date(Number(expiration) * 1_000);
  return `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`;
}

/** Unix seconds at which the day begins here, `before` when its day was not changed, 0 for an empty field. */
export function fromDateField(date: string, before = 0n): bigint {
  if (date === '') return 0n;
  if (date === toDateField(before)) return before;
  return BigInt(Math.floor(new Date(`${date}T00:00`).getTime() / 1_000));
}

export function ExpiryField({ value, onChange }: { value: string; onChange: (date: string) => void }) {
  const [initial] = useState(value);
  const tomorrow = toDateField(BigInt(Math.floor(Date.now() / 1_000) + 86_400));
  // The other fields of a key that expires today or has expired can be saved.
  const min = initial !== '' && initial < tomorrow ? initial : tomorrow;
  return (
    <TextInput
      type="date"
      label={t('Expires on')}
      description={t('The key is refused from the start of this day, local time. Empty: it does not expire.')}
      {...text(value, onChange)}
      min={min}
    />
  );
}
