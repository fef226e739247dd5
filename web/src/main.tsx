import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiFailure } from './api/failure.ts';
import { session } from './api/session.ts';
import { router } from './app/router.ts';
import { Toasts } from './ui/toast.tsx';
import './ui/theme.css';
import './ui/ui.css';
import './app/shell.css';

const queries = new QueryClient({
  queryCache: new QueryCache(),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < 2 && error instanceof ApiFailure && error.retryable,
    },
    mutations: { retry: false },
  },
});

let known = session.current();
session.subscribe(() => {
  const next = session.current();
  // What one organization or person has seen is nothing for the next.
  if (next?.userId !== known?.userId || next?.organizationId !== known?.organizationId) queries.clear();
  known = next;
  void router.invalidate();
});

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toasts />
    </QueryClientProvider>
  </StrictMode>,
);
