import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { useMetricName } from './metric-name.ts';
import { usageMessages } from './messages.ts';

const radius = 26;
const around = 2 * Math.PI * radius;

/** How much of each quota of the month is used. */
export function Quotas(): ReactElement {
  const t = useMessages(usageMessages);
  const format = useFormat();
  const quotas = useQuery({
    queryKey: ['quotas'],
    queryFn: () => answered(api.GET('/api/content/v1/usage/quotas')),
  });
  const { nameOf, unitOf } = useMetricName();
  if (quotas.isPending) return <Skeletons />;
  if (quotas.isError) return <FailureNotice error={quotas.error} onRetry={() => void quotas.refetch()} />;
  const limited = quotas.data.metrics.filter(({ quota }) => quota !== null);
  return (
    <section className="stack">
      <h2>{t('quotas')}</h2>
      {limited.length === 0 && <p className="muted">{t('noQuota')}</p>}
      <ul className="rings">
        {limited.map(({ metric, label, unit, used, quota, percent, enforced, alertsReached }) => {
          const share = Math.min(100, percent ?? 0) / 100;
          const written = format.percent((percent ?? 0) / 100);
          const tone = share >= 1 ? 'bad' : alertsReached.length > 0 ? 'warn' : 'good';
          return (
            <li key={metric} className="card">
              <svg
                viewBox="0 0 64 64"
                className={`ring ring-${tone}`}
                role="img"
                aria-label={t('percentOf', { label: nameOf(metric, label), percent: written })}
              >
                <circle cx="32" cy="32" r={radius} />
                <circle
                  className="ring-used"
                  cx="32"
                  cy="32"
                  r={radius}
                  strokeDasharray={`${share * around} ${around}`}
                  transform="rotate(-90 32 32)"
                />
                <text x="32" y="36" textAnchor="middle">
                  {written}
                </text>
              </svg>
              <div>
                <h3>{nameOf(metric, label)}</h3>
                <p className="muted numeric">
                  {t('quotaOf', { used: format.number(used), quota: format.number(quota ?? 0), unit: unitOf(unit) })}
                </p>
                {enforced && <p className="muted">{t('enforced')}</p>}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
