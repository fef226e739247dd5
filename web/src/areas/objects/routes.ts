import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { bucketRoute } from '../buckets/bucket-route.ts';

/** Which files of a bucket are shown, as it stands in the address of the page. */
export interface Shown {
  /** The folder, ending in a slash. */
  prefix?: string | undefined;
  /** What names in the folder begin with. */
  begins?: string | undefined;
}

const browser = createRoute({
  getParentRoute: () => bucketRoute,
  path: '/',
  validateSearch: ({ prefix, begins }): Shown => {
    const start = typeof begins === 'string' || typeof begins === 'number' ? String(begins) : '';
    // Both are always there: what is refused here would otherwise stay in the address.
    return {
      prefix: typeof prefix === 'string' && prefix.endsWith('/') ? prefix : undefined,
      begins: start === '' ? undefined : start,
    };
  },
  component: lazyRouteComponent(() => import('./browser.tsx'), 'ObjectBrowser'),
});

const object = createRoute({
  getParentRoute: () => bucketRoute,
  path: '/objects/$objectId',
  component: lazyRouteComponent(() => import('./object.tsx'), 'ObjectPage'),
});

/** The pages of the area, beneath a bucket's. */
export const objectRoutes = [browser, object] as const;
