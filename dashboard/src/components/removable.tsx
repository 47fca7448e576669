import { ActionIcon, Table } from '@mantine/core';
import { XIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** A table with a row per item, each with a button that removes it. */
export function Removable({
  label,
  rows,
}: {
  label: string;
  rows: readonly {
    id: string;
    cells: ReactNode[];
    /** The name of the button. Without it there is none. */
    removal: string | undefined;
    onRemove: () => unknown;
  }[];
}) {
  return (
    <Table aria-label={label}>
      <Table.Tbody>
        {rows.map(({ id, cells, removal, onRemove }) => (
          <Table.Tr key={id}>
            {cells.map((cell, i) => (
              <Table.Td key={i} miw={84} style={{ overflowWrap: 'anywhere' }}>
                {cell}
              </Table.Td>
            ))}
            <Table.Td ta="right">
              {removal && (
                <ActionIcon variant="subtle" color="red" aria-label={removal} onClick={onRemove}>
                  <XIcon size={16} aria-hidden />
                </ActionIcon>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
