import type { ReactElement, ReactNode } from 'react';
import { asFailure } from '../api/failure.ts';
import { useMessages } from '../i18n/messages.ts';
import { Button } from './button.tsx';
import { uiMessages } from './messages.ts';

/** An error: what it means, what to do, and the id that the operator finds the request by. */
export function FailureNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }): ReactElement {
  const t = useMessages(uiMessages);
  const failure = asFailure(error);
  const { status, field, requestId } = failure;
  const advice =
    status === 0
      ? t('noAnswer')
      : status === 403
        ? t('forbidden')
        : status === 404
          ? t('gone')
          : status === 429 || status === 503
            ? t('busy')
            : status >= 500
              ? t('internal')
              : field !== null
                ? t('invalid', { field })
                : '';
  return (
    <div className="notice notice-bad" role="alert">
      {advice !== '' && <p>{advice}</p>}
      {failure.message !== '' && status !== 0 && (
        <p className={advice === '' ? '' : 'notice-detail'}>{failure.message}</p>
      )}
      {requestId !== null && requestId !== '' && (
        <p className="notice-detail">
          <code>{failure.code}</code> · {t('requestId', { id: requestId })}
        </p>
      )}
      {onRetry !== undefined && (
        <Button icon="refresh" onClick={onRetry}>
          {t('retry')}
        </Button>
      )}
    </div>
  );
}

/** Grey lines in the place of what is being loaded. */
export function Skeletons({ lines = 4 }: { lines?: number }): ReactElement {
  const t = useMessages(uiMessages);
  return (
    <div className="skeletons" role="status" aria-label={t('loading')}>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="skeleton" style={{ inlineSize: `${92 - ((line * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

/** What is shown where there is nothing yet, with the one thing to do. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children: ReactNode;
  action?: ReactNode;
}): ReactElement {
  return (
    <div className="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
    </div>
  );
}

/** The heading of a page with its actions. */
export function PageHead({
  title,
  children,
  actions,
}: {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}): ReactElement {
  return (
    <header className="page-head">
      <div>
        <h1>{title}</h1>
        {children !== undefined && <p>{children}</p>}
      </div>
      {actions !== undefined && <div className="actions">{actions}</div>}
    </header>
  );
}

/** A short word about a state. */
export function Badge({
  tone = 'plain',
  children,
}: {
  tone?: 'plain' | 'good' | 'warn' | 'bad';
  children: ReactNode;
}): ReactElement {
  return <span className={tone === 'plain' ? 'badge' : `badge badge-${tone}`}>{children}</span>;
}
