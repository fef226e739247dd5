import type { ReactElement } from 'react';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { RestoreButton, RetryButton } from './bucket-actions.tsx';
import { reasonMessage, type Bucket } from './bucket-state.tsx';
import { bucketMessages } from './messages.ts';

/** What is to be known about a bucket or library that is not simply active, with what can be done about it. */
export function StateNotice({ bucket }: { bucket: Bucket }): ReactElement | null {
  const t = useMessages(bucketMessages);
  const format = useFormat();
  const { state, suspended, failureReason, purgeAfter } = bucket;
  if (state === 'failed')
    return (
      <div className="notice notice-bad">
        <p>{t(reasonMessage(failureReason))}</p>
        <p className="notice-detail">{t('failedText')}</p>
        <RetryButton bucket={bucket} />
      </div>
    );
  if (state === 'deleted' || state === 'deleting') {
    const isOpen = purgeAfter !== null && Date.parse(purgeAfter) > Date.now();
    return (
      <div className="notice notice-bad">
        <p>{isOpen ? t('restoreUntil', { time: format.time(purgeAfter) }) : t('restoreOver')}</p>
        {isOpen && state === 'deleted' && <RestoreButton bucket={bucket} />}
      </div>
    );
  }
  if (suspended) return <p className="notice notice-bad">{t('suspendedText')}</p>;
  if (failureReason === 'configuration_failed') return <p className="notice">{t('configuration_failed')}</p>;
  return null;
}
