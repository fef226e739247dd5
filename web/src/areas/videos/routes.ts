import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

/** States of videos, in their order. */
export const statuses = ['uploading', 'queued', 'encoding', 'playable', 'ready', 'failed'] as const;

/** Which videos are shown, as it stands in the address of the page. */
export interface ShownVideos {
  status?: (typeof statuses)[number] | undefined;
}

const list = createRoute({
  getParentRoute: () => shellRoute,
  path: '/libraries',
  component: lazyRouteComponent(() => import('./page.tsx'), 'LibrariesPage'),
});

const library = createRoute({
  getParentRoute: () => shellRoute,
  path: '/libraries/$libraryId',
  component: lazyRouteComponent(() => import('./library.tsx'), 'LibraryFrame'),
});

const videos = createRoute({
  getParentRoute: () => library,
  path: '/',
  validateSearch: ({ status }): ShownVideos => ({ status: statuses.find((name) => name === status) }),
  component: lazyRouteComponent(() => import('./video-list.tsx'), 'VideoList'),
});

const settings = createRoute({
  getParentRoute: () => library,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings.tsx'), 'LibrarySettings'),
});

const video = createRoute({
  getParentRoute: () => shellRoute,
  path: '/videos/$videoId',
  component: lazyRouteComponent(() => import('./video.tsx'), 'VideoPage'),
});

/** The pages of the area. */
export const videoRoutes = [list, library.addChildren([videos, settings]), video] as const;
