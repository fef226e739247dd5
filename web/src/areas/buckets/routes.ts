import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';
import { objectRoutes } from '../objects/routes.ts';
import { bucketTraffic } from '../traffic/routes.ts';
import { bucketRoute } from './bucket-route.ts';

const list = createRoute({
  getParentRoute: () => shellRoute,
  path: '/buckets',
  component: lazyRouteComponent(() => import('./page.tsx'), 'BucketsPage'),
});

const settings = createRoute({
  getParentRoute: () => bucketRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings.tsx'), 'BucketSettings'),
});

const links = createRoute({
  getParentRoute: () => bucketRoute,
  path: '/links',
  component: lazyRouteComponent(() => import('../links/page.tsx'), 'LinksPage'),
});

const domains = createRoute({
  getParentRoute: () => bucketRoute,
  path: '/domains',
  component: lazyRouteComponent(() => import('../domains/page.tsx'), 'BucketDomains'),
});

const purges = createRoute({
  getParentRoute: () => bucketRoute,
  path: '/purges',
  component: lazyRouteComponent(() => import('../purges/page.tsx'), 'PurgesPage'),
});

/** The pages of the area. */
export const bucketRoutes = [
  list,
  bucketRoute.addChildren([...objectRoutes, links, domains, purges, bucketTraffic, settings]),
] as const;
