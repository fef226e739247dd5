import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { clock } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { fileMessages } from './messages.ts';

/** Plays a recording or film from a second, with its transcript moving along; a segment jumps to its second. */
export function Recording({
  assetId,
  kind,
  from,
}: {
  assetId: string;
  kind: 'audio' | 'video';
  from: number;
}): ReactElement {
  const t = useMessages(fileMessages);
  const media = useRef<HTMLVideoElement & HTMLAudioElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const [now, setNow] = useState(from);
  const [isBroken, setBroken] = useState(false);
  const params = { path: { assetId } };
  const link = useQuery({
    queryKey: ['playback', assetId],
    queryFn: () => answered(api.GET('/api/content/v1/assets/{assetId}/playback', { params })),
  });
  const transcript = useQuery({
    queryKey: ['transcript', assetId],
    queryFn: () => answered(api.GET('/api/content/v1/assets/{assetId}/transcript', { params })),
  });
  const segments = transcript.data?.segments ?? [];
  const current = segments.findLast(({ start }) => start <= now + 0.05)?.id;
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const seek = (seconds: number): void => {
    setNow(seconds);
    if (media.current === null) return;
    media.current.currentTime = seconds;
    void media.current.play().catch(() => setBroken(true));
  };
  const Player = kind;
  return (
    <div className="stack">
      {link.isError &&
        (asFailure(link.error).code === 'asset_not_playable' ? (
          <p className="muted">{t('elsewhere')}</p>
        ) : (
          <FailureNotice error={link.error} />
        ))}
      {link.isSuccess && (
        <Player
          ref={media}
          className="file-media"
          controls
          preload="metadata"
          src={link.data.nativeUrl ?? link.data.url}
          onLoadedMetadata={() => {
            if (media.current !== null) media.current.currentTime = from;
          }}
          onTimeUpdate={() => setNow(media.current?.currentTime ?? 0)}
          onError={() => setBroken(true)}
        />
      )}
      {isBroken && <p className="muted">{t('unplayable')}</p>}
      <section className="card stack">
        <h2>{t('transcript')}</h2>
        {transcript.isPending && <Skeletons />}
        {transcript.isError && <FailureNotice error={transcript.error} />}
        {transcript.isSuccess && segments.length === 0 && <p className="muted">{t('noTranscript')}</p>}
        <ol className="transcript" ref={list}>
          {segments.map(({ id, start, text }) => (
            <li key={id}>
              <button type="button" aria-current={id === current || undefined} onClick={() => seek(start)}>
                <time>{clock(start)}</time>
                <span>{text}</span>
              </button>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}
