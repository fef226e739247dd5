import type { ReactElement } from 'react';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Badge } from '../../ui/states.tsx';
import { fileMessages } from './messages.ts';

/** A file as the API shows it. */
export type Asset = components['schemas']['Asset'];

const tones = {
  ready: 'good',
  failed: 'bad',
  awaiting_source_access: 'warn',
  indexing: 'plain',
  deleting: 'plain',
} as const;

/** Whether something is still being done for a file. */
export function isMoving({ state, revisionState }: Asset): boolean {
  return state === 'indexing' || state === 'deleting' || revisionState === 'indexing';
}

/** How far a file is on its way into the search. */
export function StateBadge({ asset }: { asset: Asset }): ReactElement {
  const t = useMessages(fileMessages);
  const { state, latestJob } = asset;
  return <Badge tone={tones[state]}>{t(state, { progress: latestJob.progress })}</Badge>;
}

/** Milliseconds until the next look at files that are moving: longer while nothing changes, none when all rest. */
export function nextLook(assets: readonly Asset[], looks: number): number | false {
  return assets.some(isMoving) ? Math.min(15_000, 1000 * 1.3 ** Math.min(looks, 12)) : false;
}
