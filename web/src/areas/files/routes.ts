import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const list = createRoute({
  getParentRoute: () => shellRoute,
  path: '/files',
  component: lazyRouteComponent(() => import('./page.tsx'), 'FilesPage'),
});

const one = createRoute({
  getParentRoute: () => shellRoute,
  path: '/files/$assetId',
  // Second of a recording to begin at.
  validateSearch: ({ t }): { t?: number } => (typeof t === 'number' && t >= 0 ? { t } : {}),
  component: lazyRouteComponent(() => import('./file.tsx'), 'FilePage'),
});

/** The pages of the area. */
export const fileRoutes = [list, one] as const;
