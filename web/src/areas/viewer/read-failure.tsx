import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { allowReading } from '../../api/bucket-reading.ts';
import { includesRole, useMe } from '../../api/me.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNotice } from '../../ui/states.tsx';
import { TooLarge } from './link.ts';
import { viewerMessages } from './messages.ts';

/** Until edges have the new settings of a bucket, in milliseconds. */
const settleMs = 1500;

/** Why a document is not shown in the page, and what to do: open it, or let this page read its bucket. */
export function ReadFailure({
  error,
  url,
  bucketId,
  onRetry,
}: {
  error: unknown;
  url: string;
  bucketId: string | null;
  onRetry: () => void;
}): ReactElement {
  const t = useMessages(viewerMessages);
  const role = useMe()?.role ?? 'reader';
  const allow = useMutation({
    mutationFn: async (id: string) => {
      await allowReading(id);
      await new Promise((resolve) => setTimeout(resolve, settleMs));
    },
    onSuccess: onRetry,
  });
  return (
    <div className="notice stack">
      <p>{error instanceof TooLarge ? t('tooLarge') : t('unread')}</p>
      <div className="actions">
        <a className="button" href={url} target="_blank" rel="noreferrer">
          {t('openFile')}
        </a>
        {!(error instanceof TooLarge) && (
          <>
            <Button icon="refresh" onClick={onRetry}>
              {t('tryAgain')}
            </Button>
            {bucketId !== null && includesRole(role, 'admin') && (
              <Button isBusy={allow.isPending} onClick={() => allow.mutate(bucketId)}>
                {t('allowReading')}
              </Button>
            )}
          </>
        )}
      </div>
      {allow.isError && <FailureNotice error={allow.error} />}
    </div>
  );
}
