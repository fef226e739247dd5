import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';
import { fileAddress } from '../viewer/address.ts';
import { listFilter } from './rows.ts';

const list = createRoute({
  getParentRoute: () => shellRoute,
  path: '/files',
  validateSearch: listFilter,
  component: lazyRouteComponent(() => import('./page.tsx'), 'FilesPage'),
});

const one = createRoute({
  getParentRoute: () => shellRoute,
  path: '/files/$assetId',
  validateSearch: fileAddress,
  component: lazyRouteComponent(() => import('./file.tsx'), 'FilePage'),
});

/** The pages of the area. */
export const fileRoutes = [list, one] as const;
