import type { IconName } from '../ui/icon.tsx';
import type { appMessages } from './messages.ts';

/** An area in the navigation. */
export interface NavigationRow {
  /** Its name in the messages of the frame. */
  name: keyof typeof appMessages.en;
  path: string;
  icon: IconName;
  group: 'content' | 'storage' | 'administration';
}

/** The navigation: one row an area, in the order of the page. */
export const navigation: readonly NavigationRow[] = [
  { name: 'search', path: '/search', icon: 'search', group: 'content' },
  { name: 'files', path: '/files', icon: 'files', group: 'content' },
];
