import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const page = createRoute({
  getParentRoute: () => shellRoute,
  path: '/storage-access',
  component: lazyRouteComponent(() => import('./page.tsx'), 'CredentialsPage'),
});

/** The pages of the area. */
export const credentialRoutes = [page] as const;
