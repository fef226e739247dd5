import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Badge, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { DomainBadge, type Domain } from './domain-list.tsx';
import { domainMessages } from './messages.ts';
import './domains.css';

const route = getRouteApi('/shell/domains/$domainId');

/** How often a domain that is not settled is looked at, in milliseconds. */
const pace = 5000;

/** One custom domain: the records to set, what was found of them, and what is to be done. */
export function DomainPage(): ReactElement {
  const t = useMessages(domainMessages);
  const { domainId } = route.useParams();
  const domain = useQuery({
    queryKey: ['domain', domainId],
    queryFn: () => answered(api.GET('/api/content/v1/domains/{domainId}', { params: { path: { domainId } } })),
    refetchInterval: ({ state }) =>
      ['pending_dns', 'verifying', 'issuing_certificate'].includes(state.data?.state ?? '') ? pace : false,
  });
  if (domain.isPending) return <Skeletons lines={8} />;
  if (domain.isError) return <FailureNotice error={domain.error} onRetry={() => void domain.refetch()} />;
  const { unicodeHostname, hostname, state, failureReason } = domain.data;
  return (
    <div className="page">
      <Link to="/domains">{t('back')}</Link>
      <PageHead title={unicodeHostname} actions={<Actions domain={domain.data} />}>
        {unicodeHostname === hostname ? undefined : hostname}
      </PageHead>
      <p className="actions">
        <DomainBadge state={state} />
      </p>
      {failureReason !== null && (
        <div className="notice notice-bad">
          <p>{t(failureReason)}</p>
        </div>
      )}
      <div className="domain-columns">
        <Records domain={domain.data} />
        <Checks domain={domain.data} />
      </div>
    </div>
  );
}

function Records({ domain }: { domain: Domain }): ReactElement {
  const t = useMessages(domainMessages);
  return (
    <section className="card stack">
      <h2>{t('records')}</h2>
      <p className="muted">{t('recordsText')}</p>
      {domain.records.map(({ type, name, value }) => (
        <div className="stack record" key={`${type} ${name}`}>
          <h3>{type}</h3>
          <CopyField label={`${type}: ${t('recordName')}`} value={name} />
          <CopyField label={`${type}: ${t('value')}`} value={value} />
        </div>
      ))}
      <p className="muted">{domain.apex === true ? t('apexText') : t('proxyText')}</p>
    </section>
  );
}

const good: readonly string[] = ['found', 'free', 'active'];
const bad: readonly string[] = ['missing', 'elsewhere', 'held_elsewhere'];

function Checks({ domain }: { domain: Domain }): ReactElement {
  const t = useMessages(domainMessages);
  const format = useFormat();
  const { checks, lastCheckedAt, nextCheckAt } = domain;
  return (
    <section className="card stack">
      <h2>{t('checks')}</h2>
      <dl className="facts">
        {(['ownership', 'routing', 'claim', 'certificate'] as const).flatMap((name) => {
          const found = checks[name];
          return [
            <dt key={`${name} name`}>{t(name)}</dt>,
            <dd key={name}>
              <Badge tone={good.includes(found) ? 'good' : bad.includes(found) ? 'bad' : 'plain'}>
                {t(found === 'none' ? 'none_certificate' : found)}
              </Badge>
            </dd>,
          ];
        })}
      </dl>
      {lastCheckedAt !== null && <p className="muted">{t('last', { time: format.ago(lastCheckedAt) })}</p>}
      {nextCheckAt !== null && <p className="muted">{t('next', { time: format.ago(nextCheckAt) })}</p>}
    </section>
  );
}

function Actions({ domain }: { domain: Domain }): ReactElement {
  const t = useMessages(domainMessages);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const given = { params: { path: { domainId: domain.id } } };
  const check = useMutation({
    mutationFn: () => answered(api.POST('/api/content/v1/domains/{domainId}/check', given)),
    onSuccess: (checked) => {
      toast(t('checking'));
      queries.setQueryData(['domain', domain.id], checked);
    },
  });
  const remove = useMutation({
    mutationFn: () => answered(api.DELETE('/api/content/v1/domains/{domainId}', given)),
    onSuccess: async () => {
      toast(t('removed', { name: domain.unicodeHostname }));
      await queries.invalidateQueries({ queryKey: ['domains'] });
      await navigate({ to: '/domains' });
    },
  });
  const failure = check.error ?? remove.error;
  return (
    <>
      <Allowed role="editor" isQuiet>
        <Button icon="refresh" isBusy={check.isPending} onClick={() => check.mutate()}>
          {t('check')}
        </Button>
      </Allowed>
      <Allowed role="admin" isQuiet>
        <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
          {t('remove')}
        </Button>
      </Allowed>
      {failure !== null && <FailureNotice error={failure} />}
      {isAsking && (
        <ConfirmDialog
          title={t('removeTitle', { name: domain.unicodeHostname })}
          action={t('remove')}
          name={domain.unicodeHostname}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(undefined, { onError: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p>{t('removeText')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
