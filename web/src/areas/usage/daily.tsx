import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { SelectField } from '../../ui/field.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { useMetricName } from './metric-name.ts';
import { usageMessages } from './messages.ts';

type Metric = components['schemas']['DailyMetric'];

/** One metric of a period by day, as bars. */
export function Daily({ from, to }: { from: string; to: string }): ReactElement | null {
  const t = useMessages(usageMessages);
  const [chosen, setChosen] = useState('');
  const days = useQuery({
    queryKey: ['usage', 'daily', from, to],
    queryFn: () => answered(api.GET('/api/content/v1/usage/daily', { params: { query: { from, to } } })),
  });
  const { nameOf } = useMetricName();
  if (days.isPending) return <Skeletons />;
  if (days.isError) return <FailureNotice error={days.error} onRetry={() => void days.refetch()} />;
  const used = days.data.metrics.filter(({ points }) => points.some(({ quantity }) => quantity > 0));
  const metric = used.find((each) => each.metric === chosen) ?? used[0];
  if (metric === undefined) return null;
  return (
    <section className="card stack">
      <div className="page-head">
        <h2>{t('daily')}</h2>
        <SelectField
          label={t('metric')}
          value={metric.metric}
          options={used.map(({ metric: name, label }) => [name, nameOf(name, label)])}
          onChange={({ target }) => setChosen(target.value)}
        />
      </div>
      <Bars metric={{ ...metric, points: everyDay(metric.points, from, to) }} />
    </section>
  );
}

/** The points of all days from `from` to `to`, both included: a day without use has none of its own. */
export function everyDay(points: Metric['points'], from: string, to: string): Metric['points'] {
  const known = new Map(points.map(({ day, quantity }) => [day, quantity]));
  const days: Metric['points'] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10);
    days.push({ day, quantity: known.get(day) ?? 0 });
  }
  return days;
}

const [width, height, gap] = [640, 160, 2];

function Bars({ metric: { metric, label, unit, points } }: { metric: Metric }): ReactElement {
  const t = useMessages(usageMessages);
  const format = useFormat();
  const { nameOf, unitOf } = useMetricName();
  const most = Math.max(...points.map(({ quantity }) => quantity));
  const sum = points.reduce((all, { quantity }) => all + quantity, 0);
  const wide = width / points.length;
  const shown = (value: number): string =>
    unit === 'byte' ? format.bytes(value) : `${format.number(value)} ${unitOf(unit)}`;
  const summary = t('dailyOf', { label: nameOf(metric, label), most: shown(most), sum: shown(sum) });
  return (
    <figure className="bars">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summary} preserveAspectRatio="none">
        {points.map(({ day, quantity }, index) => {
          const tall = (quantity / most) * height;
          return (
            <rect
              key={day}
              x={index * wide + gap / 2}
              y={height - tall}
              width={Math.max(1, wide - gap)}
              height={tall}
              rx="2"
            >
              <title>{`${day}: ${shown(quantity)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption className="muted">{summary}</figcaption>
      <details>
        <summary>{t('figures')}</summary>
        <Table
          label={summary}
          rows={points}
          keyOf={({ day }) => day}
          columns={[
            { id: 'day', title: t('day'), width: '1fr', cell: ({ day }) => day },
            { id: 'quantity', title: t('quantity'), width: '1fr', cell: ({ quantity }) => shown(quantity) },
          ]}
        />
      </details>
    </figure>
  );
}
