import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { FailureNotice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { ConnectorDialog } from './connector-dialog.tsx';
import { formOf, inputOf } from './input.ts';
import { connectorMessages } from './messages.ts';
import type { Connector } from './state.tsx';

/** What can be done with a connector: sync it, change it, pause it, go on, delete it. */
export function ConnectorActions({ connector }: { connector: Connector }): ReactElement {
  const t = useMessages(connectorMessages);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'none' | 'edit' | 'remove'>('none');
  const close = (): void => setOpen('none');
  const { connectorId, name, enabled } = connector;
  const params = { params: { path: { connectorId } } };
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['connectors'] });
  const sync = useMutation({
    mutationFn: () => answered(api.POST('/api/content/v1/connectors/{connectorId}/sync', params)),
    onSuccess: async () => {
      toast(t('asked'));
      await refresh();
    },
  });
  const pause = useMutation({
    mutationFn: (isEnabled: boolean) =>
      answered(
        api.PUT('/api/content/v1/connectors/{connectorId}', {
          ...params,
          body: inputOf({ ...formOf(connector), enabled: isEnabled }),
        }),
      ),
    onSuccess: async () => {
      toast(t('saved'));
      await refresh();
    },
  });
  const remove = useMutation({
    mutationFn: () => answered(api.DELETE('/api/content/v1/connectors/{connectorId}', params)),
    onSuccess: async () => {
      toast(t('deleted', { name }));
      await navigate({ to: '/connectors' });
      await refresh();
    },
  });
  const failure = sync.error ?? pause.error ?? remove.error;
  return (
    <>
      <Button look="primary" icon="refresh" disabled={!enabled} isBusy={sync.isPending} onClick={() => sync.mutate()}>
        {t('sync')}
      </Button>
      <Button icon="pen" onClick={() => setOpen('edit')}>
        {t('edit')}
      </Button>
      <Button isBusy={pause.isPending} onClick={() => pause.mutate(!enabled)}>
        {enabled ? t('pause') : t('resume')}
      </Button>
      <Button look="danger" icon="trash" onClick={() => setOpen('remove')}>
        {t('delete')}
      </Button>
      {failure !== null && <FailureNotice error={failure} />}
      {open === 'edit' && (
        <ConnectorDialog
          connector={connector}
          onDone={() => {
            toast(t('saved'));
            close();
          }}
          onClose={close}
        />
      )}
      {open === 'remove' && (
        <ConfirmDialog
          title={`${t('delete')}: ${name}`}
          action={t('delete')}
          name={name}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <p>{t('deleteText')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
