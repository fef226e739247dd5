import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { usePreferences } from '../../app/preferences.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { EmptyState, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { csvOf, saveText } from './csv.ts';
import { Daily } from './daily.tsx';
import { useMetricName } from './metric-name.ts';
import { usageMessages } from './messages.ts';
import { money } from './money.ts';
import { PlanCard } from './plan-card.tsx';
import { Quotas } from './quotas.tsx';
import { Statements } from './statements.tsx';
import './usage.css';

type Usage = Pick<
  components['schemas']['Usage'],
  'lines' | 'currency' | 'period' | 'total' | 'status' | 'statementNumber' | 'priced'
>;
type Line = components['schemas']['UsageLine'];

/** What was used in a month: quotas, days, and the lines that are charged. */
export function UsagePage(): ReactElement {
  const t = useMessages(usageMessages);
  const [month, setMonth] = useState('');
  const usage = useQuery({
    queryKey: ['usage', month],
    queryFn: () => answered(api.GET('/api/content/v1/usage', { params: { query: month === '' ? {} : { month } } })),
  });
  const shownMonth = month === '' ? (usage.data?.period.from.slice(0, 7) ?? '') : month;
  return (
    <div className="page">
      <PageHead
        title={t('title')}
        actions={
          <TextField
            label={t('month')}
            type="month"
            value={shownMonth}
            onChange={({ target }) => setMonth(/^\d{4}-\d{2}$/.test(target.value) ? target.value : '')}
          />
        }
      />
      <Quotas />
      {usage.isPending && <Skeletons lines={6} />}
      {usage.isError && <FailureNotice error={usage.error} onRetry={() => void usage.refetch()} />}
      {usage.data !== undefined && (
        <>
          <Daily from={usage.data.period.from} to={usage.data.period.to} />
          <Lines usage={usage.data} />
        </>
      )}
      <Statements />
      <PlanCard />
    </div>
  );
}

function Lines({ usage }: { usage: Usage }): ReactElement {
  const t = useMessages(usageMessages);
  const format = useFormat();
  const { language } = usePreferences();
  const { lines, currency, period, total, status, statementNumber, priced } = usage;
  const { nameOf, unitOf } = useMetricName();
  const amounts = (value: number | null): string => money(value, currency, language);
  const quantity = (value: number | null): string => (value === null ? '' : format.number(value));
  const columns: readonly Column<Line>[] = [
    { id: 'label', title: t('metric'), width: 'minmax(0, 2fr)', cell: ({ metric, label }) => nameOf(metric, label) },
    {
      id: 'quantity',
      title: t('quantity'),
      width: 'minmax(6rem, 1fr)',
      cell: ({ quantity: used, unit }) => <span className="numeric">{`${quantity(used)} ${unitOf(unit)}`}</span>,
    },
    {
      id: 'included',
      title: t('included'),
      width: '7rem',
      isWide: true,
      cell: ({ included }) => <span className="numeric">{quantity(included)}</span>,
    },
    {
      id: 'billable',
      title: t('billable'),
      width: '7rem',
      isWide: true,
      cell: ({ billable }) => <span className="numeric">{quantity(billable)}</span>,
    },
    {
      id: 'amount',
      title: t('amount'),
      width: '7rem',
      cell: ({ amount }) => <span className="numeric">{amounts(amount)}</span>,
    },
  ];
  const save = (): void => {
    const head = ['metric', 'dimension', 'unit', 'quantity', 'included', 'billable', 'unitPrice', 'amount', 'currency'];
    const rows = lines.map((line) => [
      line.metric,
      line.dimension,
      line.unit,
      line.quantity,
      line.included,
      line.billable,
      line.unitPrice,
      line.amount,
      currency,
    ]);
    saveText(`usage-${period.from.slice(0, 7)}.csv`, csvOf([head, ...rows]));
  };
  return (
    <section className="stack">
      <div className="page-head">
        <div>
          <h2>{t('lines')}</h2>
          <p>
            {status === 'closed' ? t('closed', { number: statementNumber ?? '' }) : t('open')}
            {priced ? '' : ` ${t('notPriced')}`}
          </p>
        </div>
        <div className="actions">
          {total !== null && (
            <strong className="numeric">
              {t('total')} {amounts(total)}
            </strong>
          )}
          {lines.length > 0 && (
            <Button icon="download" onClick={save}>
              {t('csv')}
            </Button>
          )}
        </div>
      </div>
      {lines.length === 0 ? (
        <EmptyState title={t('nothing')}>{t('nothingText')}</EmptyState>
      ) : (
        <Table
          label={t('lines')}
          columns={columns}
          rows={lines}
          keyOf={({ metric, dimension, lateFor = '' }) => `${metric} ${dimension} ${lateFor}`}
        />
      )}
    </section>
  );
}
