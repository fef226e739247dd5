import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNotice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { viewerMessages } from './messages.ts';

/** Saves corrections of a transcript as one change, or drops them. */
export function CorrectionBar({
  assetId,
  revision,
  edits,
  onSaved,
  onDiscard,
}: {
  assetId: string;
  /** The revision that was read: a correction of another one is refused. */
  revision: number;
  edits: ReadonlyMap<string, string>;
  onSaved: () => void;
  onDiscard: () => void;
}): ReactElement {
  const t = useMessages(viewerMessages);
  // Sent again, it is the same correction.
  const [key] = useState(() => crypto.randomUUID());
  const save = useMutation({
    mutationFn: () =>
      answered(
        api.PATCH('/api/content/v1/assets/{assetId}/transcript', {
          params: {
            path: { assetId },
            header: { 'If-Match': `"${revision}"`, 'Idempotency-Key': `${key}-${edits.size}` },
          },
          body: { segments: [...edits].map(([id, text]) => ({ id, text })) },
        }),
      ),
    onSuccess: () => {
      toast(t('corrected'));
      onSaved();
    },
  });
  return (
    <div className="notice stack">
      <div className="actions">
        <span>{t('corrections', { count: edits.size })}</span>
        <Button look="primary" isBusy={save.isPending} onClick={() => save.mutate()}>
          {t('saveCorrections')}
        </Button>
        <Button onClick={onDiscard}>{t('discard')}</Button>
      </div>
      {save.isError &&
        (asFailure(save.error).code === 'revision_conflict' ? (
          <p role="alert">{t('conflict')}</p>
        ) : (
          <FailureNotice error={save.error} />
        ))}
    </div>
  );
}
