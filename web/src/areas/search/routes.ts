import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../app/layout-routes.ts';

/** What is searched, as it stands in the address of the page. */
export interface Asked {
  q?: string;
  kind?: 'document' | 'audio' | 'video';
  collection?: string;
  /** A day, YYYY-MM-DD. */
  after?: string;
  /** A day, YYYY-MM-DD, which no longer counts. */
  before?: string;
  /** Metadata as `name: value`, separated by semicolons. */
  meta?: string;
  /** Principals, separated by commas. */
  as?: string;
}

const kinds = ['document', 'audio', 'video'] as const;

const page = createRoute({
  getParentRoute: () => shellRoute,
  path: '/search',
  validateSearch: (sent): Asked => {
    const text = (name: string): string | undefined => {
      const value = sent[name];
      return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
    };
    const [q, collection, after, before] = [text('q'), text('collection'), text('after'), text('before')];
    const [meta, as] = [text('meta'), text('as')];
    const isDay = (value: string | undefined): value is string =>
      value !== undefined && /^\d{4}-\d\d-\d\d$/.test(value);
    const kind = kinds.find((name) => name === sent['kind']);
    return {
      ...(q !== undefined && { q }),
      ...(kind !== undefined && { kind }),
      ...(collection !== undefined && { collection }),
      ...(isDay(after) && { after }),
      ...(isDay(before) && { before }),
      ...(meta !== undefined && { meta }),
      ...(as !== undefined && { as }),
    };
  },
  component: lazyRouteComponent(() => import('./page.tsx'), 'SearchPage'),
});

/** The pages of the area. */
export const searchRoutes = [page] as const;
