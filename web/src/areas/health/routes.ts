import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const page = createRoute({
  getParentRoute: () => shellRoute,
  path: '/status',
  component: lazyRouteComponent(() => import('./page.tsx'), 'HealthPage'),
});

/** The pages of the area. */
export const healthRoutes = [page] as const;
