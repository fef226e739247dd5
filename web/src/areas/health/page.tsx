import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useMessages } from '../../i18n/messages.ts';
import { Badge, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { healthMessages } from './messages.ts';

/** What `GET /health/ready` answers. It is no operation of the API, so that it is not in its description. */
interface Readiness {
  ready: boolean;
  parts: { [name: string]: { state: 'up' | 'down' | 'off' | 'recovering'; detail?: string } };
}

const tones = { up: 'good', down: 'bad', off: 'plain', recovering: 'warn' } as const;

async function readiness(): Promise<Readiness> {
  return (await (await fetch('/health/ready')).json()) as Readiness;
}

async function version(): Promise<string> {
  const { info } = (await (await fetch('/api/openapi.json')).json()) as { info: { version: string } };
  return info.version;
}

/** Stores and features, with their states, and the version. */
export function HealthPage(): ReactElement {
  const t = useMessages(healthMessages);
  const parts = useQuery({ queryKey: ['health'], queryFn: readiness, refetchInterval: 10_000 });
  const known = useQuery({ queryKey: ['version'], queryFn: version, staleTime: Infinity });
  return (
    <div className="page">
      <PageHead title={t('title')}>{t('lead')}</PageHead>
      {parts.isPending && <Skeletons />}
      {parts.isError && <FailureNotice error={parts.error} onRetry={() => void parts.refetch()} />}
      {parts.data !== undefined && (
        <>
          <p className={parts.data.ready ? 'notice' : 'notice notice-bad'}>
            {parts.data.ready ? t('ready') : t('notReady')}
          </p>
          <Table
            label={t('title')}
            rows={Object.entries(parts.data.parts)}
            keyOf={([name]) => name}
            columns={[
              { id: 'part', title: t('part'), width: 'minmax(0, 1fr)', cell: ([name]) => name },
              {
                id: 'state',
                title: t('state'),
                width: '9rem',
                cell: ([, { state }]) => <Badge tone={tones[state]}>{t(state)}</Badge>,
              },
              {
                id: 'detail',
                title: t('detail'),
                width: 'minmax(0, 2fr)',
                isWide: true,
                cell: ([, { detail = '' }]) => <span title={detail}>{detail}</span>,
              },
            ]}
          />
        </>
      )}
      {known.data !== undefined && <p className="muted">{t('version', { version: known.data })}</p>}
    </div>
  );
}
