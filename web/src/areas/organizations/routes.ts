import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const page = createRoute({
  getParentRoute: () => shellRoute,
  path: '/organizations',
  component: lazyRouteComponent(() => import('./page.tsx'), 'OrganizationsPage'),
});

/** The pages of the area. */
export const organizationsRoutes = [page] as const;
