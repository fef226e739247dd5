import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const list = createRoute({
  getParentRoute: () => shellRoute,
  path: '/connectors',
  component: lazyRouteComponent(() => import('./page.tsx'), 'ConnectorsPage'),
});

const one = createRoute({
  getParentRoute: () => shellRoute,
  path: '/connectors/$connectorId',
  component: lazyRouteComponent(() => import('./connector.tsx'), 'ConnectorPage'),
});

/** The pages of the area. */
export const connectorRoutes = [list, one] as const;
