import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const page = createRoute({
  getParentRoute: () => shellRoute,
  path: '/search-analytics',
  component: lazyRouteComponent(() => import('./page.tsx'), 'InsightsPage'),
});

/** The pages of the area. */
export const insightRoutes = [page] as const;
