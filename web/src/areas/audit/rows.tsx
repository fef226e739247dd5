import type { ReactElement } from 'react';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { auditMessages } from './messages.ts';

/** A row of either audit. */
export interface ShownRow {
  id: string;
  at: string;
  actor: string;
  action: string;
  resource: string;
  detail: { readonly [name: string]: unknown };
}

/** Rows of an audit, newest first. */
export function AuditRows({ rows, onEnd }: { rows: readonly ShownRow[]; onEnd: () => void }): ReactElement {
  const t = useMessages(auditMessages);
  const format = useFormat();
  if (rows.length === 0) return <EmptyState title={t('empty')}>{t('emptyText')}</EmptyState>;
  const columns: readonly Column<ShownRow>[] = [
    { id: 'at', title: t('at'), width: '9.5rem', cell: ({ at }) => <time dateTime={at}>{format.time(at)}</time> },
    { id: 'action', title: t('action'), width: 'minmax(0, 1fr)', cell: ({ action }) => action },
    {
      id: 'actor',
      title: t('actor'),
      width: 'minmax(0, 1fr)',
      isWide: true,
      cell: ({ actor }) => <span title={actor}>{actor}</span>,
    },
    {
      id: 'resource',
      title: t('resource'),
      width: 'minmax(0, 1fr)',
      isWide: true,
      cell: ({ resource }) => <span title={resource}>{resource}</span>,
    },
    {
      id: 'detail',
      title: t('detail'),
      width: 'minmax(0, 1fr)',
      isWide: true,
      cell: ({ detail }) => {
        const text = Object.entries(detail)
          .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
          .join('; ');
        return <span title={text}>{text}</span>;
      },
    },
  ];
  return <Table label={t('title')} columns={columns} rows={rows} keyOf={({ id }) => id} onEnd={onEnd} />;
}
