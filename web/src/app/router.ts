import { createRouter } from '@tanstack/react-router';
import { fileRoutes } from '../areas/files/routes.ts';
import { searchRoutes } from '../areas/search/routes.ts';
import { homeRoute, rootRoute, shellRoute, signInRoute } from './layout-routes.ts';
import { PageFailure, PagePending } from './page-states.tsx';

/** All routes: one row an area. Each area's pages are loaded when they are opened. */
const routeTree = rootRoute.addChildren([
  homeRoute,
  signInRoute,
  shellRoute.addChildren([...searchRoutes, ...fileRoutes]),
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
