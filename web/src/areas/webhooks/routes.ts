import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const list = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./page.tsx'), 'WebhooksPage'),
});

const one = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks/$webhookId',
  component: lazyRouteComponent(() => import('./endpoint.tsx'), 'EndpointPage'),
});

/** The pages of the area. */
export const webhookRoutes = [list, one] as const;
