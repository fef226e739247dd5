import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { SelectField } from '../../ui/field.tsx';
import { EmptyState, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import './insights.css';
import { insightMessages } from './messages.ts';

type Analytics = components['schemas']['SearchAnalytics'];

const periods = [7, 30, 90, 365];

/** What people search for, and what finds nothing. */
export function InsightsPage(): ReactElement {
  const t = useMessages(insightMessages);
  const [days, setDays] = useState(30);
  const analytics = useQuery({
    queryKey: ['search-analytics', days],
    queryFn: () => answered(api.GET('/api/content/v1/analytics/searches', { params: { query: { days, limit: 100 } } })),
  });
  return (
    <div className="page">
      <PageHead
        title={t('title')}
        actions={
          <SelectField
            label={t('period')}
            value={String(days)}
            options={periods.map((each) => [String(each), t('days', { days: String(each) })])}
            onChange={({ target }) => setDays(Number(target.value))}
          />
        }
      >
        {t('lead')}
      </PageHead>
      {analytics.isPending && <Skeletons lines={8} />}
      {analytics.isError && <FailureNotice error={analytics.error} onRetry={() => void analytics.refetch()} />}
      {analytics.isSuccess &&
        (analytics.data.summary.searches === 0 ? (
          <EmptyState title={t('none')} action={<Link to="/search">{t('search')}</Link>}>
            {t('noneText')}
          </EmptyState>
        ) : (
          <Insights analytics={analytics.data} />
        ))}
    </div>
  );
}

function Insights({ analytics }: { analytics: Analytics }): ReactElement {
  const t = useMessages(insightMessages);
  const format = useFormat();
  const { summary, daily, topQueries, withoutResults, recordingSince } = analytics;
  const { searches, answers, medianMilliseconds } = summary;
  const share = (count: number): string => `${format.number(count)} (${format.percent(count / searches)})`;
  const figures: [string, string][] = [
    [t('searches'), format.number(searches)],
    [t('found'), share(summary.withResults)],
    [t('unfound'), share(summary.withoutResults)],
    [t('answers'), format.number(answers)],
    [
      t('median'),
      medianMilliseconds === null ? '' : t('milliseconds', { value: format.number(Math.round(medianMilliseconds)) }),
    ],
  ];
  return (
    <>
      <dl className="figures">
        {figures.map(([name, value]) => (
          <div key={name} className="card">
            <dt className="muted">{name}</dt>
            <dd className="numeric">{value}</dd>
          </div>
        ))}
      </dl>
      <Days daily={daily} />
      <p className="muted">
        {recordingSince === null ? t('notKept') : t('off', { time: format.time(recordingSince) })}
      </p>
      <section className="stack">
        <h2>{t('without')}</h2>
        <p className="muted">{withoutResults.length === 0 ? t('allFound') : t('withoutText')}</p>
        {withoutResults.length > 0 && (
          <Table
            label={t('without')}
            rows={withoutResults}
            keyOf={({ query }) => query}
            columns={[
              { id: 'query', title: t('query'), width: 'minmax(0, 1fr)', cell: ({ query }) => query },
              { id: 'searches', title: t('searches'), width: '6rem', cell: (row) => format.number(row.searches) },
              {
                id: 'last',
                title: t('last'),
                width: '11rem',
                isWide: true,
                cell: ({ lastSearchedAt }) => format.time(lastSearchedAt),
              },
              {
                id: 'tune',
                title: t('synonym'),
                width: '7rem',
                cell: ({ query }) => (
                  <Link to="/tuning" search={{ q: query }}>
                    {t('synonym')}
                  </Link>
                ),
              },
            ]}
          />
        )}
      </section>
      {topQueries.length > 0 && (
        <section className="stack">
          <h2>{t('top')}</h2>
          <Table
            label={t('top')}
            rows={topQueries}
            keyOf={({ query }) => query}
            columns={[
              {
                id: 'query',
                title: t('query'),
                width: 'minmax(0, 1fr)',
                cell: ({ query }) => (
                  <Link to="/search" search={{ q: query }}>
                    {query}
                  </Link>
                ),
              },
              { id: 'searches', title: t('searches'), width: '6rem', cell: (row) => format.number(row.searches) },
              {
                id: 'results',
                title: t('results'),
                width: '7rem',
                isWide: true,
                cell: ({ meanResults }) => format.number(meanResults),
              },
              {
                id: 'last',
                title: t('last'),
                width: '11rem',
                isWide: true,
                cell: ({ lastSearchedAt }) => format.time(lastSearchedAt),
              },
            ]}
          />
        </section>
      )}
    </>
  );
}

const [width, height] = [640, 120];

/** Searches by day as bars, of which the darker part found nothing. */
function Days({ daily }: { daily: Analytics['daily'] }): ReactElement {
  const t = useMessages(insightMessages);
  const format = useFormat();
  const most = Math.max(1, ...daily.map(({ searches }) => searches));
  const sum = daily.reduce((all, { searches }) => all + searches, 0);
  const wide = width / Math.max(1, daily.length);
  const summary = t('perDay', { sum: format.number(sum), most: format.number(most) });
  const tall = (count: number): number => (count / most) * height;
  return (
    <figure className="search-days">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={summary} preserveAspectRatio="none">
        {daily.map(({ day, searches, withoutResults }, index) => (
          <g key={day}>
            <title>{`${day}: ${searches}, ${t('unfound')}: ${withoutResults}`}</title>
            <rect x={index * wide} y={height - tall(searches)} width={wide * 0.9} height={tall(searches)} />
            <rect
              className="search-days-without"
              x={index * wide}
              y={height - tall(withoutResults)}
              width={wide * 0.9}
              height={tall(withoutResults)}
            />
          </g>
        ))}
      </svg>
      <figcaption className="muted">{summary}</figcaption>
    </figure>
  );
}
