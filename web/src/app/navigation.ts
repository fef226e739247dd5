import type { Role } from '../api/me.ts';
import type { IconName } from '../ui/icon.tsx';
import type { appMessages } from './messages.ts';

/** An area in the navigation. */
export interface NavigationRow {
  /** Its name in the messages of the frame. */
  name: keyof typeof appMessages.en;
  path: string;
  icon: IconName;
  group: 'content' | 'storage' | 'administration';
  /** The least role that it is for; left out: everybody. */
  role?: Role;
}

/** The navigation: one row an area, in the order of the page. */
export const navigation: readonly NavigationRow[] = [
  { name: 'search', path: '/search', icon: 'search', group: 'content' },
  { name: 'files', path: '/files', icon: 'files', group: 'content' },
  { name: 'collections', path: '/collections', icon: 'collection', group: 'content' },
  { name: 'buckets', path: '/buckets', icon: 'bucket', group: 'storage' },
  { name: 'videos', path: '/libraries', icon: 'video', group: 'storage' },
  { name: 'domains', path: '/domains', icon: 'domain', group: 'storage' },
  { name: 'delivery', path: '/delivery', icon: 'chart', group: 'storage' },
  { name: 'storageAccess', path: '/storage-access', icon: 'plug', group: 'storage', role: 'admin' },
  { name: 'tuning', path: '/tuning', icon: 'pen', group: 'content' },
  { name: 'insights', path: '/search-analytics', icon: 'eye', group: 'content' },
  { name: 'connectors', path: '/connectors', icon: 'plug', group: 'content' },
  { name: 'webhooks', path: '/webhooks', icon: 'bell', group: 'storage' },
  { name: 'usage', path: '/usage', icon: 'chart', group: 'administration' },
  { name: 'settings', path: '/settings', icon: 'settings', group: 'administration' },
  { name: 'people', path: '/people', icon: 'people', group: 'administration', role: 'admin' },
  { name: 'keys', path: '/api-keys', icon: 'key', group: 'administration', role: 'admin' },
  { name: 'organizations', path: '/organizations', icon: 'collection', group: 'administration', role: 'admin' },
  { name: 'audit', path: '/audit', icon: 'audit', group: 'administration', role: 'admin' },
  { name: 'health', path: '/status', icon: 'check', group: 'administration', role: 'admin' },
];
