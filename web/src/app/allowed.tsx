import type { ReactElement, ReactNode } from 'react';
import { includesRole, useMe, type Role } from '../api/me.ts';
import { useMessages } from '../i18n/messages.ts';
import { EmptyState, Skeletons } from '../ui/states.tsx';
import { appMessages } from './messages.ts';

/**
 * Shows its content to people with a role. Others see that there is nothing for them, or with `isQuiet` nothing; nothing
 * is asked for them.
 */
export function Allowed({
  role,
  isQuiet = false,
  children,
}: {
  role: Role;
  isQuiet?: boolean;
  children: ReactNode;
}): ReactElement | null {
  const t = useMessages(appMessages);
  const me = useMe();
  if (isQuiet && (me === undefined || !includesRole(me.role, role))) return null;
  if (me === undefined) return <Skeletons />;
  if (!includesRole(me.role, role)) return <EmptyState title={t('notYours')}>{t('notYoursText')}</EmptyState>;
  return <>{children}</>;
}
