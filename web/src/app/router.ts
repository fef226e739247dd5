import { createRouter } from '@tanstack/react-router';
import { auditRoutes } from '../areas/audit/routes.ts';
import { bucketRoutes } from '../areas/buckets/routes.ts';
import { collectionRoutes } from '../areas/collections/routes.ts';
import { connectorRoutes } from '../areas/connectors/routes.ts';
import { credentialRoutes } from '../areas/credentials/routes.ts';
import { domainRoutes } from '../areas/domains/routes.ts';
import { fileRoutes } from '../areas/files/routes.ts';
import { healthRoutes } from '../areas/health/routes.ts';
import { insightRoutes } from '../areas/insights/routes.ts';
import { keysRoutes } from '../areas/keys/routes.ts';
import { organizationsRoutes } from '../areas/organizations/routes.ts';
import { peopleRoutes } from '../areas/people/routes.ts';
import { profileRoutes } from '../areas/profile/routes.ts';
import { searchRoutes } from '../areas/search/routes.ts';
import { settingsRoutes } from '../areas/settings/routes.ts';
import { trafficRoutes } from '../areas/traffic/routes.ts';
import { tuningRoutes } from '../areas/tuning/routes.ts';
import { usageRoutes } from '../areas/usage/routes.ts';
import { videoRoutes } from '../areas/videos/routes.ts';
import { webhookRoutes } from '../areas/webhooks/routes.ts';
import { homeRoute, invitationRoute, rootRoute, shellRoute, signInRoute } from './layout-routes.ts';
import { PageFailure, PagePending } from './page-states.tsx';

/** All routes: one row an area. Each area's pages are loaded when they are opened. */
const routeTree = rootRoute.addChildren([
  homeRoute,
  signInRoute,
  invitationRoute,
  shellRoute.addChildren([
    ...searchRoutes,
    ...fileRoutes,
    ...collectionRoutes,
    ...bucketRoutes,
    ...videoRoutes,
    ...domainRoutes,
    ...credentialRoutes,
    ...trafficRoutes,
    ...tuningRoutes,
    ...insightRoutes,
    ...connectorRoutes,
    ...webhookRoutes,
    ...usageRoutes,
    ...settingsRoutes,
    ...peopleRoutes,
    ...keysRoutes,
    ...organizationsRoutes,
    ...auditRoutes,
    ...healthRoutes,
    ...profileRoutes,
  ]),
]);

/** The router of the dashboard. */
export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: PageFailure,
  defaultPendingComponent: PagePending,
  defaultPendingMs: 150,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
