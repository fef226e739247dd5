import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { usePreferences } from '../../app/preferences.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { saveText } from './csv.ts';
import { usageMessages } from './messages.ts';
import { money } from './money.ts';

/** The statements of closed months, each of which can be kept as CSV. */
export function Statements(): ReactElement {
  const t = useMessages(usageMessages);
  const format = useFormat();
  const { language } = usePreferences();
  const list = useQuery({
    queryKey: ['statements'],
    queryFn: () => answered(api.GET('/api/content/v1/statements')),
  });
  const keep = useMutation({
    mutationFn: ({ month }: { month: string; name: string }) =>
      answered(api.GET('/api/content/v1/statements/{month}/export', { params: { path: { month } }, parseAs: 'text' })),
    onSuccess: (csv, { name }) => saveText(`${name}.csv`, csv),
  });
  return (
    <section className="stack">
      <h2>{t('statements')}</h2>
      {list.isPending && <Skeletons lines={2} />}
      {list.isError && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {keep.isError && <FailureNotice error={keep.error} />}
      {list.data?.items.length === 0 && <p className="muted">{t('noStatements')}</p>}
      {list.data !== undefined && list.data.items.length > 0 && (
        <Table
          label={t('statements')}
          rows={list.data.items}
          keyOf={({ statementNumber }) => statementNumber}
          columns={[
            { id: 'month', title: t('month'), width: '7rem', cell: ({ month }) => month },
            {
              id: 'number',
              title: t('number'),
              width: 'minmax(0, 1fr)',
              isWide: true,
              cell: ({ statementNumber }) => statementNumber,
            },
            {
              id: 'total',
              title: t('total'),
              width: '8rem',
              cell: ({ total, currency }) => <span className="numeric">{money(total, currency, language)}</span>,
            },
            {
              id: 'closed',
              title: t('closedAt'),
              width: '11rem',
              isWide: true,
              cell: ({ closedAt }) => format.time(closedAt),
            },
            {
              id: 'csv',
              title: t('csv'),
              width: '8rem',
              cell: ({ month, statementNumber }) => (
                <Button
                  look="quiet"
                  icon="download"
                  label={t('save', { number: statementNumber })}
                  onClick={() => keep.mutate({ month, name: statementNumber })}
                />
              ),
            },
          ]}
        />
      )}
    </section>
  );
}
