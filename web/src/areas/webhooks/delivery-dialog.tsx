import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { webhookMessages } from './messages.ts';

type Delivery = components['schemas']['WebhookDelivery'];

/** A delivery with the body that it sends. */
export function DeliveryDialog({ delivery, onClose }: { delivery: Delivery; onClose: () => void }): ReactElement {
  const t = useMessages(webhookMessages);
  const format = useFormat();
  const { id, event, state, videoId, attempts, lastStatus, lastError, createdAt, deliveredAt, nextAttemptAt } =
    delivery;
  const sent = useQuery({
    queryKey: ['webhook-deliveries', id],
    queryFn: () =>
      answered(api.GET('/api/content/v1/webhook-deliveries/{deliveryId}', { params: { path: { deliveryId: id } } })),
  });
  const rows: readonly (readonly [string, string | number | null])[] = [
    [t('state'), t(state)],
    [t('attempts'), attempts],
    [t('answer'), lastStatus ?? (lastError === null ? null : t(lastError))],
    [t('sent'), format.exactTime(createdAt)],
    [t('deliveredAt'), deliveredAt === null ? null : format.exactTime(deliveredAt)],
    [t('nextAttempt'), nextAttemptAt === null ? null : format.exactTime(nextAttemptAt)],
  ];
  return (
    <Dialog title={event} onClose={onClose}>
      <dl className="facts">
        {rows.map(([name, value]) =>
          value === null ? null : (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      <CopyField label={t('deliveryId')} hint={t('deliveryIdHint')} value={id} />
      {videoId !== null && <CopyField label={t('videoId')} value={videoId} />}
      {sent.isPending && <Skeletons lines={3} />}
      {sent.isError && <FailureNotice error={sent.error} onRetry={() => void sent.refetch()} />}
      {sent.isSuccess && <CopyField label={t('body')} hint={t('bodyHint')} value={indented(sent.data.body)} isLong />}
      <div className="dialog-actions">
        <Button look="primary" data-autofocus onClick={onClose}>
          {t('done')}
        </Button>
      </div>
    </Dialog>
  );
}

/** JSON with a field a line. */
function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}
