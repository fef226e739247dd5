import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const page = createRoute({
  getParentRoute: () => shellRoute,
  path: '/people',
  component: lazyRouteComponent(() => import('./page.tsx'), 'PeoplePage'),
});

/** The pages of the area. */
export const peopleRoutes = [page] as const;
