import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useMessages } from '../i18n/messages.ts';
import { EmptyState } from '../ui/states.tsx';
import { appMessages } from './messages.ts';

/** Says that an address leads nowhere. */
export function NotFoundPage(): ReactElement {
  const t = useMessages(appMessages);
  return (
    <main className="alone">
      <EmptyState
        title={t('notFound')}
        action={
          <Link className="button button-primary" to="/">
            {t('home')}
          </Link>
        }
      >
        {t('notFoundText')}
      </EmptyState>
    </main>
  );
}
