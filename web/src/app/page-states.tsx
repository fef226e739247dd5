import { useRouter } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { FailureNotice, Skeletons } from '../ui/states.tsx';

/** In the place of a page that is being loaded. */
export function PagePending(): ReactElement {
  return <Skeletons lines={6} />;
}

/** In the place of a page that failed. */
export function PageFailure({ error }: { error: unknown }): ReactElement {
  const router = useRouter();
  return <FailureNotice error={error} onRetry={() => void router.invalidate()} />;
}
