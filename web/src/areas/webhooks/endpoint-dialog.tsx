import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { uiMessages } from '../../ui/messages.ts';
import { FailureNotice } from '../../ui/states.tsx';
import { webhookMessages } from './messages.ts';

type Webhook = components['schemas']['Webhook'];
type EventName = Webhook['events'][number];

const eventNames: readonly EventName[] = ['video.playable', 'video.ready', 'video.failed'];

/** A secret that is shown once. */
function Secret({ webhook, onClose }: { webhook: Webhook; onClose: () => void }): ReactElement {
  const t = useMessages(webhookMessages);
  return (
    <Dialog title={webhook.url} onClose={onClose}>
      <CopyField label={t('secret')} hint={t('secretHint')} value={webhook.secret ?? ''} />
      <div className="dialog-actions">
        <Button look="primary" onClick={onClose}>
          {t('done')}
        </Button>
      </div>
    </Dialog>
  );
}

/** Adds an endpoint, and shows its secret once. */
export function EndpointDialog({ onClose }: { onClose: () => void }): ReactElement {
  const t = useMessages(webhookMessages);
  const queries = useQueryClient();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [events, setEvents] = useState<readonly EventName[]>(eventNames);
  const make = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/content/v1/webhooks', {
          params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
          body: { url, events: [...events], ...(description === '' ? {} : { description }) },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  if (make.isSuccess) return <Secret webhook={make.data} onClose={onClose} />;
  return (
    <Dialog title={t('create')} onClose={onClose}>
      <DialogForm
        submit={t('create')}
        isBusy={make.isPending}
        isDisabled={events.length === 0}
        error={make.error}
        onSubmit={() => make.mutate()}
        onClose={onClose}
      >
        <TextField
          label={t('url')}
          hint={t('urlHint')}
          type="url"
          required
          autoFocus
          maxLength={2048}
          value={url}
          onChange={({ target }) => setUrl(target.value)}
        />
        <TextField
          label={t('description')}
          maxLength={200}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
        <fieldset className="fieldset stack">
          <legend>{t('events')}</legend>
          {eventNames.map((name) => (
            <CheckField
              key={name}
              label={name}
              checked={events.includes(name)}
              onChange={({ target }) =>
                setEvents(eventNames.filter((each) => (each === name ? target.checked : events.includes(each))))
              }
            />
          ))}
        </fieldset>
      </DialogForm>
    </Dialog>
  );
}

/** Gives an endpoint a new secret, and shows it once. */
export function RotateDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }): ReactElement {
  const t = useMessages(webhookMessages);
  const common = useMessages(uiMessages);
  const queries = useQueryClient();
  const rotate = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/content/v1/webhooks/{webhookId}/secret/rotate', {
          params: { path: { webhookId: webhook.id } },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks'] }),
  });
  if (rotate.isSuccess) return <Secret webhook={rotate.data} onClose={onClose} />;
  return (
    <Dialog title={t('rotate')} onClose={onClose}>
      <p>{t('rotateText')}</p>
      {rotate.isError && <FailureNotice error={rotate.error} />}
      <div className="dialog-actions">
        <Button onClick={onClose}>{common('cancel')}</Button>
        <Button look="primary" isBusy={rotate.isPending} onClick={() => rotate.mutate()}>
          {t('rotate')}
        </Button>
      </div>
    </Dialog>
  );
}
