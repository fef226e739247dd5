import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const page = createRoute({
  getParentRoute: () => shellRoute,
  path: '/api-keys',
  component: lazyRouteComponent(() => import('./page.tsx'), 'KeysPage'),
});

/** The pages of the area. */
export const keysRoutes = [page] as const;
