import { createRootRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { session } from '../api/session.ts';
import { ownPage } from './own-page.ts';
import { NotFoundPage } from './not-found.tsx';
import { Shell } from './shell.tsx';

/** The root of all routes. */
export const rootRoute = createRootRoute({ notFoundComponent: NotFoundPage });

/** Parent of all pages that need a session: without one, the sign-in page comes first and leads back. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: Shell,
  beforeLoad: ({ location }) => {
    if (session.current() === null) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
});

/** Where a session begins. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  // What a search holds beside its checked fields stays in it, so that a refused value is replaced.
  validateSearch: ({ next }): { next?: string } => ({ next: ownPage(next) }),
  component: lazyRouteComponent(() => import('../areas/sign-in/page.tsx'), 'SignInPage'),
});

/** Where the link of an invitation leads. */
export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('../areas/invitation/page.tsx'), 'InvitationPage'),
});

/** The first page. */
export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/search' });
  },
});
