import type { Approval, ApprovalState } from '@latchkey/sdk';
import { Badge } from '@mantine/core';
import { t } from '../../i18n.ts';

const states = {
  waiting: ['yellow', t('Waiting')],
  approved: ['teal', t('Approved')],
  used: ['blue', t('Used')],
  refused: ['red', t('Refused')],
  expired: ['gray', t('Expired')],
} as const;

export const isOpen = ({ state }: Approval): boolean => state === 'waiting' || state === 'approved';

export function State({ state }: { state: ApprovalState }) {
  const [color, name] = states[state];
  return (
    <Badge color={color} autoContrast>
      {name}
    </Badge>
  );
}
