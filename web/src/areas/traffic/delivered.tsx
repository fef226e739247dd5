import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Series, Shares } from '../../ui/series.tsx';
import { EmptyState, FailureNotice, Skeletons } from '../../ui/states.tsx';
import { csvOf, saveText } from '../usage/csv.ts';
import { trafficMessages } from './messages.ts';
import type { Period } from './asked-period.ts';

const gigabyte = 2 ** 30;
const groups = {
  'india-asia': 'india_asia',
  'europe-north-america': 'europe_north_america',
  'latin-america': 'latin_america',
  'middle-east-africa': 'middle_east_africa',
} as const;

/** What was delivered by day, part of the world and bucket; with `bucketId`, of that one. */
export function Delivered({ period, bucketId }: { period: Period; bucketId?: string }): ReactElement {
  const t = useMessages(trafficMessages);
  const format = useFormat();
  const found = useQuery({
    queryKey: ['delivered', period, bucketId ?? ''],
    queryFn: () =>
      answered(
        api.GET('/api/content/v1/delivery/analytics', {
          params: { query: { ...period, ...(bucketId !== undefined && { bucketId }) } },
        }),
      ),
  });
  const days = found.data?.days;
  const times = useMemo(() => days?.map(({ day }) => Date.parse(day) / 1000) ?? [], [days]);
  const lines = useMemo(
    () => [{ label: t('delivered'), values: days?.map(({ gb }) => gb * gigabyte) ?? [] }],
    [days, t],
  );
  if (found.isPending) return <Skeletons lines={6} />;
  if (found.isError) return <FailureNotice error={found.error} onRetry={() => void found.refetch()} />;
  const { totals, regionGroups, buckets } = found.data;
  if (totals.requests === 0) return <EmptyState title={t('nothing')}>{t('nothingText')}</EmptyState>;
  const bytes = (gb: number): string => format.bytes(gb * gigabyte);
  const save = (): void =>
    saveText(
      `delivery-${period.from}-${period.to}.csv`,
      csvOf([
        ['day', 'gb', 'requests', 'provisional'],
        ...found.data.days.map(({ day, gb, requests, provisional }) => [day, gb, requests, String(provisional)]),
      ]),
    );
  return (
    <>
      <section className="card stack">
        <div className="page-head">
          <div>
            <h2>{t('days')}</h2>
            <p className="numeric">
              {bytes(totals.gb)} · {t('requests')}: {format.number(totals.requests)}
            </p>
          </div>
          <Button icon="download" onClick={save}>
            {t('csv')}
          </Button>
        </div>
        <Series
          label={t('daysOf', { sum: bytes(totals.gb), requests: format.number(totals.requests) })}
          times={times}
          lines={lines}
          write={format.bytes}
        />
      </section>
      <div className="traffic-columns">
        <section className="card stack">
          <h2>{t('regions')}</h2>
          <Shares
            parts={regionGroups.map(({ regionGroup, label, gb }) => {
              const name = Object.entries(groups).find(([group]) => group === regionGroup)?.[1];
              return { name: name === undefined ? label : t(name), value: gb * gigabyte };
            })}
            write={format.bytes}
          />
        </section>
        {buckets.length > 0 && (
          <section className="card stack">
            <h2>{t('buckets')}</h2>
            <Shares
              parts={buckets.map(({ bucketName, gb }) => ({ name: bucketName, value: gb * gigabyte }))}
              write={format.bytes}
            />
          </section>
        )}
      </div>
    </>
  );
}
