import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

/** Parent of the pages of one bucket. */
export const bucketRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/buckets/$bucketId',
  component: lazyRouteComponent(() => import('./bucket.tsx'), 'BucketFrame'),
});
