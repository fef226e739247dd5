import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Badge } from '../../ui/states.tsx';
import { nextLookAt } from '../buckets/bucket-state.tsx';
import { videoMessages } from './messages.ts';

/** A video library. */
export type Library = components['schemas']['Library'];
/** A video. */
export type Video = components['schemas']['Video'];

/** A library, looked at again while it is being created or deleted. */
export function useLibrary(libraryId: string): UseQueryResult<Library> {
  return useQuery({
    queryKey: ['library', libraryId],
    queryFn: () => answered(api.GET('/api/content/v1/libraries/{libraryId}', { params: { path: { libraryId } } })),
    refetchInterval: ({ state }) => nextLookAt(state.data === undefined ? [] : [state.data]),
  });
}

const tones = {
  uploading: 'warn',
  queued: 'warn',
  encoding: 'warn',
  playable: 'good',
  ready: 'good',
  failed: 'bad',
} as const;

/** Whether a video goes on by itself to another state. */
export function isUnderWay({ status }: Pick<Video, 'status'>): boolean {
  return status !== 'ready' && status !== 'failed';
}

/** The state of a video as a word. */
export function VideoBadge({ video }: { video: Pick<Video, 'status' | 'disabled'> }): ReactElement {
  const t = useMessages(videoMessages);
  if (video.disabled) return <Badge tone="bad">{t('disabled')}</Badge>;
  return <Badge tone={tones[video.status]}>{t(video.status)}</Badge>;
}
