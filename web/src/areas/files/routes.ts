import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const page = createRoute({
  getParentRoute: () => shellRoute,
  path: '/files',
  component: lazyRouteComponent(() => import('./page.tsx'), 'FilesPage'),
});

/** The pages of the area. */
export const fileRoutes = [page] as const;
