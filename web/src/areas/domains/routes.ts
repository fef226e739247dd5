import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const list = createRoute({
  getParentRoute: () => shellRoute,
  path: '/domains',
  component: lazyRouteComponent(() => import('./page.tsx'), 'DomainsPage'),
});

const domain = createRoute({
  getParentRoute: () => shellRoute,
  path: '/domains/$domainId',
  component: lazyRouteComponent(() => import('./domain.tsx'), 'DomainPage'),
});

/** The pages of the area. */
export const domainRoutes = [list, domain] as const;
