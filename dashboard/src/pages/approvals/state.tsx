import type { Approval, ApprovalState } from '@latchkey/sdk';
import { Badge } from '@mantine/core';

const states = {
  waiting: ['yellow', 'Waiting'],
  approved: ['teal', 'Approved'],
  used: ['blue', 'Used'],
  refused: ['red', 'Refused'],
  expired: ['gray', 'Expired'],
} as const;

export const isOpen = ({ state }: Approval): boolean => state === 'waiting' || state === 'approved';

export function State({ state }: { state: ApprovalState }) {
  const [color, name] = states[state];
  return (
    <Badge miw="max-content" color={color} tt="none" autoContrast>
      {name}
    </Badge>
  );
}
