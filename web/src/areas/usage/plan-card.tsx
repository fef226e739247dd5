import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Badge, FailureNotice, Skeletons } from '../../ui/states.tsx';
import { usageMessages } from './messages.ts';

/** The plan of the account, with its features and limits. */
export function PlanCard(): ReactElement {
  const t = useMessages(usageMessages);
  const format = useFormat();
  const plan = useQuery({ queryKey: ['plan'], queryFn: () => answered(api.GET('/api/content/v1/plan')) });
  if (plan.isPending) return <Skeletons />;
  if (plan.isError) return <FailureNotice error={plan.error} onRetry={() => void plan.refetch()} />;
  const { plan: name, features, limits } = plan.data;
  const ceilings = Object.entries(limits).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return (
    <section className="card stack">
      <h2>{name === null ? t('plan') : t('planIs', { name })}</h2>
      {name === null && <p>{t('noPlan')}</p>}
      <h3>{t('features')}</h3>
      <ul className="actions plain-list">
        {features.map((feature) => (
          <li key={feature}>
            <Badge>{feature}</Badge>
          </li>
        ))}
      </ul>
      {ceilings.length > 0 && (
        <>
          <h3>{t('limits')}</h3>
          <dl className="facts">
            {ceilings.flatMap(([limit, value]) => [
              <dt key={`${limit} name`}>{limit}</dt>,
              <dd key={limit} className="numeric">
                {format.number(value)}
              </dd>,
            ])}
          </dl>
        </>
      )}
    </section>
  );
}
