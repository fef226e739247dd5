import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { usePreferences } from '../../app/preferences.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Series, Shares } from '../../ui/series.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { saveText } from '../usage/csv.ts';
import { trafficMessages } from './messages.ts';
import type { Period } from './asked-period.ts';

/** Where a measure stands in a point. */
const places = { delivered: 1, requests: 2 } as const;
type Measure = keyof typeof places;

/**
 * Counted traffic: over time, by answer, cache and country, and by the values of own rules.
 * @param dimensions names of the rules
 */
export function Traffic({
  period,
  bucketId,
  dimensions,
}: {
  period: Period;
  bucketId?: string;
  dimensions: readonly string[];
}): ReactElement {
  const t = useMessages(trafficMessages);
  const format = useFormat();
  const [measure, setMeasure] = useState<Measure>('delivered');
  const [by, setBy] = useState('');
  const groupBy = by === 'group:bucket' ? 'bucket' : by === 'group:organization' ? 'organization' : 'value';
  const dimension = dimensions.find((name) => name === by);
  const found = useQuery({
    queryKey: ['traffic', period, bucketId ?? '', by],
    queryFn: () =>
      answered(
        api.GET('/api/content/v1/analytics/delivery', {
          params: {
            query: {
              ...period,
              groupBy,
              ...(bucketId !== undefined && { bucketId }),
              ...(dimension !== undefined && { dimension }),
            },
          },
        }),
      ),
  });
  const data = found.data;
  const times = useMemo(() => data?.series[0]?.points.map(([at = 0]) => at) ?? [], [data]);
  const lines = useMemo(
    () =>
      (data?.series ?? []).map(({ key, label, points }) => ({
        label: key === 'total' ? t('inAll') : key === 'other' ? t('other') : (label ?? key),
        values: points.map((point) => point[places[measure]] ?? 0),
      })),
    [data, measure, t],
  );
  const write = measure === 'delivered' ? format.bytes : format.number;
  const options: [string, string][] = [
    ['', t('inAll')],
    ...(bucketId === undefined
      ? ([
          ['group:bucket', t('byBucket')],
          ['group:organization', t('byOrganization')],
        ] satisfies [string, string][])
      : []),
    ...dimensions.map((name): [string, string] => [name, name]),
  ];
  return (
    <section className="stack">
      <div className="page-head">
        <h2>{t('traffic')}</h2>
        <div className="actions">
          <SelectField
            label={t('measure')}
            value={measure}
            options={(['delivered', 'requests'] as const).map((name) => [name, t(name)])}
            onChange={({ target }) => setMeasure(target.value === 'requests' ? 'requests' : 'delivered')}
          />
          <SelectField label={t('by')} value={by} options={options} onChange={({ target }) => setBy(target.value)} />
          <MonthCsv
            period={period}
            {...(bucketId !== undefined && { bucketId })}
            {...(dimension !== undefined && { dimension })}
          />
        </div>
      </div>
      {found.isPending && <Skeletons lines={6} />}
      {found.isError && <FailureNotice error={found.error} onRetry={() => void found.refetch()} />}
      {data?.totals.requests === 0 && <p className="muted">{t('notCounted')}</p>}
      {data !== undefined && data.totals.requests > 0 && (
        <>
          <div className="card stack">
            <Series
              label={t('seriesOf', {
                measure: t(measure),
                sum: write(measure === 'delivered' ? data.totals.bytes : data.totals.requests),
              })}
              times={times}
              lines={lines}
              write={write}
            />
            {data.provisional && <p className="muted">{t('provisional')}</p>}
          </div>
          {dimension !== undefined && (
            <section className="card stack">
              <h3>{dimension}</h3>
              <Shares
                parts={lines.map(({ label, values }) => ({
                  name: label,
                  value: values.reduce((sum, value) => sum + value, 0),
                }))}
                write={write}
              />
            </section>
          )}
          <Totals totals={data.totals} countries={data.topCountries} />
        </>
      )}
    </section>
  );
}

interface TotalsProps {
  totals: {
    cacheHits: number;
    cacheMisses: number;
    status: { '2xx': number; '3xx': number; '4xx': number; '5xx': number };
  };
  countries: readonly { country: string; requests: number }[];
}

function Totals({ totals, countries }: TotalsProps): ReactElement {
  const t = useMessages(trafficMessages);
  const format = useFormat();
  const { language } = usePreferences();
  const names = new Intl.DisplayNames(language, { type: 'region' });
  const nameOf = (code: string): string => (/^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : t('unknownCountry'));
  return (
    <div className="traffic-columns">
      <section className="card stack">
        <h3>{t('status')}</h3>
        <Shares
          parts={(['2xx', '3xx', '4xx', '5xx'] as const).map((name) => ({
            name: t(`s${name}`),
            value: totals.status[name],
          }))}
          write={format.number}
        />
      </section>
      <section className="card stack">
        <h3>{t('cache')}</h3>
        <Shares
          parts={[
            { name: t('hits'), value: totals.cacheHits },
            { name: t('misses'), value: totals.cacheMisses },
          ]}
          write={format.number}
        />
      </section>
      {countries.length > 0 && (
        <section className="card stack">
          <h3>{t('countries')}</h3>
          <Shares
            parts={countries.map(({ country, requests }) => ({ name: nameOf(country), value: requests }))}
            write={format.number}
          />
        </section>
      )}
    </div>
  );
}

function MonthCsv({
  period,
  bucketId,
  dimension,
}: {
  period: Period;
  bucketId?: string;
  dimension?: string;
}): ReactElement {
  const t = useMessages(trafficMessages);
  const month = period.to.slice(0, 7);
  const keep = useMutation({
    mutationFn: () =>
      answered(
        api.GET('/api/content/v1/analytics/delivery/breakdown', {
          params: {
            query: {
              month,
              format: 'csv',
              ...(bucketId !== undefined && { bucketId }),
              ...(dimension !== undefined && { by: 'dimension', dimension }),
            },
          },
          parseAs: 'text',
        }),
      ),
    onSuccess: (csv) => saveText(`delivery-${month}.csv`, csv),
  });
  return (
    <>
      {keep.isError && <FailureNotice error={keep.error} />}
      <Button icon="download" isBusy={keep.isPending} onClick={() => keep.mutate()}>
        {t('month')}
      </Button>
    </>
  );
}
