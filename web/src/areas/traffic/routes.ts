import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';
import { bucketRoute } from '../buckets/bucket-route.ts';
import { askedPeriod } from './asked-period.ts';

const page = createRoute({
  getParentRoute: () => shellRoute,
  path: '/delivery',
  validateSearch: askedPeriod,
  component: lazyRouteComponent(() => import('./page.tsx'), 'DeliveryPage'),
});

/** The traffic of a bucket, beneath its pages. */
export const bucketTraffic = createRoute({
  getParentRoute: () => bucketRoute,
  path: '/traffic',
  validateSearch: askedPeriod,
  component: lazyRouteComponent(() => import('./page.tsx'), 'BucketTraffic'),
});

/** The pages of the area. */
export const trafficRoutes = [page] as const;
