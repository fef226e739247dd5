import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const page = createRoute({
  getParentRoute: () => shellRoute,
  path: '/profile',
  component: lazyRouteComponent(() => import('./page.tsx'), 'ProfilePage'),
});

/** The pages of the area. */
export const profileRoutes = [page] as const;
