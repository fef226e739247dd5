import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const page = createRoute({
  getParentRoute: () => shellRoute,
  path: '/search',
  component: lazyRouteComponent(() => import('./page.tsx'), 'SearchPage'),
});

/** The pages of the area. */
export const searchRoutes = [page] as const;
