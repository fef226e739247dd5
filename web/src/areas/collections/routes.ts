import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const list = createRoute({
  getParentRoute: () => shellRoute,
  path: '/collections',
  component: lazyRouteComponent(() => import('./page.tsx'), 'CollectionsPage'),
});

/** The pages of the area. */
export const collectionRoutes = [list] as const;
