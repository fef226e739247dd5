import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

const page = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tuning',
  // The query that is tried.
  validateSearch: ({ q }): { q?: string } => (typeof q === 'string' || typeof q === 'number' ? { q: String(q) } : {}),
  component: lazyRouteComponent(() => import('./page.tsx'), 'TuningPage'),
});

/** The pages of the area. */
export const tuningRoutes = [page] as const;
