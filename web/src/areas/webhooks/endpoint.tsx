import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Badge, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { Deliveries } from './deliveries.tsx';
import { RotateDialog } from './endpoint-dialog.tsx';
import { webhookMessages } from './messages.ts';

type Webhook = components['schemas']['Webhook'];

/** An endpoint with what was sent to it. */
export function EndpointPage(): ReactElement {
  const t = useMessages(webhookMessages);
  const { webhookId } = useParams({ from: '/shell/webhooks/$webhookId' });
  const one = useQuery({
    queryKey: ['webhooks', webhookId],
    queryFn: () => answered(api.GET('/api/content/v1/webhooks/{webhookId}', { params: { path: { webhookId } } })),
  });
  return (
    <div className="page">
      <p>
        <Link to="/webhooks">{t('back')}</Link>
      </p>
      {one.isPending && <Skeletons />}
      {one.isError && <FailureNotice error={one.error} onRetry={() => void one.refetch()} />}
      {one.isSuccess && <Endpoint webhook={one.data} />}
    </div>
  );
}

function Endpoint({ webhook }: { webhook: Webhook }): ReactElement {
  const t = useMessages(webhookMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'none' | 'rotate' | 'remove'>('none');
  const params = { params: { path: { webhookId: webhook.id } } };
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['webhooks'] });
  const ping = useMutation({
    mutationFn: () => answered(api.POST('/api/content/v1/webhooks/{webhookId}/ping', params)),
    onSuccess: async () => {
      toast(t('pinged'));
      await refresh();
    },
  });
  const change = useMutation({
    mutationFn: (active: boolean) =>
      answered(api.PATCH('/api/content/v1/webhooks/{webhookId}', { ...params, body: { active } })),
    onSuccess: async () => {
      toast(t('changed'));
      await refresh();
    },
  });
  const remove = useMutation({
    mutationFn: () => answered(api.DELETE('/api/content/v1/webhooks/{webhookId}', params)),
    onSuccess: async () => {
      toast(t('removed'));
      await navigate({ to: '/webhooks' });
      await refresh();
    },
  });
  const failure = ping.error ?? change.error ?? remove.error;
  const { active, url, events, description, previousSecretExpiresAt } = webhook;
  return (
    <>
      <PageHead
        title={url}
        actions={
          <>
            <Allowed role="editor" isQuiet>
              <Button icon="bell" isBusy={ping.isPending} onClick={() => ping.mutate()}>
                {t('ping')}
              </Button>
            </Allowed>
            <Allowed role="admin" isQuiet>
              <Button icon="refresh" onClick={() => setOpen('rotate')}>
                {t('rotate')}
              </Button>
              <Button isBusy={change.isPending} onClick={() => change.mutate(!active)}>
                {active ? t('deactivate') : t('activate')}
              </Button>
              <Button look="danger" icon="trash" onClick={() => setOpen('remove')}>
                {t('remove')}
              </Button>
            </Allowed>
          </>
        }
      >
        {description ?? events.join(', ')}
      </PageHead>
      <p>
        <Badge tone={active ? 'good' : 'warn'}>{active ? t('active') : t('inactive')}</Badge>{' '}
        {previousSecretExpiresAt !== null && Date.parse(previousSecretExpiresAt) > Date.now() && (
          <span className="muted">{t('twoSecrets', { time: format.time(previousSecretExpiresAt) })}</span>
        )}
      </p>
      {failure !== null && <FailureNotice error={failure} />}
      <Deliveries webhookId={webhook.id} />
      {open === 'rotate' && <RotateDialog webhook={webhook} onClose={() => setOpen('none')} />}
      {open === 'remove' && (
        <ConfirmDialog
          title={`${t('remove')}: ${url}`}
          action={t('remove')}
          name={url}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setOpen('none')}
        >
          <p>{t('removeText')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
