import { TextLink } from '../../components/text-link.tsx';
import { t } from '../../i18n.ts';

/** The reason of an entry: of a run with a link to its record, of a payment with a link to its receipt. */
export function Reason({ text }: { text: string }) {
  const [, intent] = text.match(/^payment (pi_\w+)$/) ?? [];
  if (intent !== undefined)
    return t('payment, <link>receipt</link>', {
      link: (inner) => (
        <TextLink to="/billing/receipts/$intent" params={{ intent }} title={text} size="sm">
          {inner}
        </TextLink>
      ),
    });
  const [, id] = text.match(/^run ([0-9a-f-]{36})$/) ?? [];
  if (id === undefined) return text;
  return (
    <TextLink to="/runs/$id" params={{ id }} title={text} size="sm">
      {t('run {id}…', { id: id.slice(0, 8) })}
    </TextLink>
  );
}
