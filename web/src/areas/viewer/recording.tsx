import type { UseQueryResult } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState, type ReactElement } from 'react';
import { asFailure } from '../../api/failure.ts';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { FailureNotice } from '../../ui/states.tsx';
import type { FileAddress } from './address.ts';
import type { FileLink } from './link.ts';
import { viewerMessages } from './messages.ts';
import type { FoundPassage } from './passages.ts';
import { ReadFailure } from './read-failure.tsx';
import { playStream } from './stream.ts';
import { Transcript } from './transcript.tsx';

interface Props {
  asset: components['schemas']['Asset'];
  kind: 'audio' | 'video';
  at: FileAddress;
  passages: readonly FoundPassage[];
  link: UseQueryResult<FileLink>;
}

/** Plays a recording or film from a second, with its transcript moving along; a segment jumps to its second. */
export function Recording({ asset, kind, at, passages, link }: Props): ReactElement {
  const t = useMessages(viewerMessages);
  const media = useRef<HTMLVideoElement & HTMLAudioElement>(null);
  const [now, setNow] = useState(at.t ?? 0);
  const [streamError, setStreamError] = useState<unknown>(null);
  const [isBroken, setBroken] = useState(false);
  const { data, refetch } = link;
  const isStream = data?.format === 'hls';
  const address = data?.nativeUrl ?? data?.url;
  /** Where it goes on once it has loaded, and whether it does so by itself. */
  const resume = useRef({ seconds: at.t ?? 0, plays: false });
  const hasFailed = useRef(false);
  const isPicture = passages.some(
    ({ location: { source, startSeconds } }) => source === 'slide' && startSeconds === at.t,
  );

  const seek = useCallback((seconds: number, plays: boolean): void => {
    setNow(seconds);
    resume.current = { seconds, plays };
    const player = media.current;
    if (player === null || player.readyState === 0) return;
    player.currentTime = seconds;
    // A browser may refuse to play before the page was touched: then the person presses play.
    if (plays) player.play().catch(() => undefined);
    else player.pause();
  }, []);
  useEffect(() => {
    if (at.t !== undefined) seek(at.t, !isPicture);
  }, [at.t, isPicture, seek]);
  useEffect(() => {
    if (!isStream || address === undefined || media.current === null) return;
    setStreamError(null);
    return playStream(media.current, address, setStreamError);
  }, [isStream, address]);
  const failed = (): void => {
    if (isStream) return;
    // The link may be over: a new one goes on from the same second.
    resume.current = { seconds: media.current?.currentTime || resume.current.seconds, plays: hasFailed.current };
    if (hasFailed.current) setBroken(true);
    else void refetch();
    hasFailed.current = true;
  };
  const Player = kind;
  return (
    <div className="stack">
      {link.isError &&
        (asFailure(link.error).code === 'asset_not_playable' ? (
          <p className="muted">{t('elsewhere')}</p>
        ) : (
          <FailureNotice error={link.error} onRetry={() => void refetch()} />
        ))}
      {data !== undefined && (
        <Player
          ref={media}
          className="recording"
          controls
          preload="metadata"
          aria-label={asset.filename}
          {...(kind === 'video' && data.posterUrl !== null ? { poster: data.posterUrl } : {})}
          {...(isStream ? {} : { src: data.url })}
          onLoadedMetadata={() => seek(resume.current.seconds, resume.current.plays)}
          onPlaying={() => {
            hasFailed.current = false;
          }}
          onTimeUpdate={() => setNow(media.current?.currentTime ?? 0)}
          onError={failed}
        />
      )}
      {streamError !== null && address !== undefined && (
        <ReadFailure
          error={streamError}
          url={address}
          bucketId={asset.bucketId}
          onRetry={() => void refetch().then(() => setStreamError(null))}
        />
      )}
      {isBroken && <p className="muted">{t('unplayable')}</p>}
      {asset.activeRevision !== null && (
        <Transcript
          assetId={asset.assetId}
          revision={asset.activeRevision}
          as={at.as}
          now={now}
          passages={passages}
          onSeek={(seconds) => seek(seconds, true)}
        />
      )}
    </div>
  );
}
