import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { CopyField } from '../../ui/copy.tsx';
import { Badge, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { embedCode } from './embed.ts';
import { videoMessages } from './messages.ts';
import { Player } from './player.tsx';
import { VideoActions } from './video-actions.tsx';
import { isUnderWay, useLibrary, VideoBadge, type Video } from './video-state.tsx';
import './videos.css';

const route = getRouteApi('/shell/videos/$videoId');

/** One video: its player and links, its qualities as they are made, and what can be done with it. */
export function VideoPage(): ReactElement {
  const t = useMessages(videoMessages);
  const { videoId } = route.useParams();
  const video = useQuery({
    queryKey: ['video', videoId],
    queryFn: () => answered(api.GET('/api/content/v1/videos/{videoId}', { params: { path: { videoId } } })),
    refetchInterval: ({ state }) => (state.data !== undefined && isUnderWay(state.data) ? 2000 : false),
  });
  if (video.isPending) return <Skeletons lines={8} />;
  if (video.isError) return <FailureNotice error={video.error} onRetry={() => void video.refetch()} />;
  const { title, libraryId, errorCode, renditions } = video.data;
  return (
    <div className="page">
      <Link to="/libraries/$libraryId" params={{ libraryId }}>
        {t('toLibrary')}
      </Link>
      <PageHead title={title} actions={<VideoActions video={video.data} />} />
      <p className="actions">
        <VideoBadge video={video.data} />
      </p>
      {errorCode !== null && (
        <div className="notice notice-bad">
          <p>{t(`error_${errorCode}`)}</p>
          <p className="notice-detail">
            <code>{errorCode}</code>
          </p>
        </div>
      )}
      <div className="video-columns">
        {renditions.length > 0 && !video.data.disabled ? (
          <Playback video={video.data} />
        ) : (
          <p className="muted">{isUnderWay(video.data) && t('notYet')}</p>
        )}
        <div className="stack">
          <Renditions video={video.data} />
          <Facts video={video.data} />
        </div>
      </div>
    </div>
  );
}

function Playback({ video }: { video: Video }): ReactElement {
  const t = useMessages(videoMessages);
  const format = useFormat();
  const library = useLibrary(video.libraryId).data;
  const isBound = library?.delivery.ipBinding === true;
  const link = useQuery({
    queryKey: ['video-link', video.id, video.status === 'ready'],
    enabled: library !== undefined && !isBound,
    staleTime: 600_000,
    queryFn: () =>
      answered(api.POST('/api/content/v1/sign', { body: { bucketId: video.libraryId, videoId: video.id } })),
  });
  if (isBound) return <p className="muted">{t('ipBound')}</p>;
  if (link.isPending) return <Skeletons lines={6} />;
  if (link.isError)
    return asFailure(link.error).code === 'video_not_ready' ? (
      <p className="muted">{t('notYet')}</p>
    ) : (
      <FailureNotice error={link.error} onRetry={() => void link.refetch()} />
    );
  const { url, nativeUrl, posterUrl, downloadUrl, expiresAt } = link.data;
  const links = [
    [t('playlist'), url],
    [t('native'), nativeUrl],
    [t('poster'), posterUrl],
    [t('downloadLink'), downloadUrl],
  ] as const;
  return (
    <div className="stack">
      <Player key={url} link={link.data} title={video.title} />
      <section className="card stack">
        <h2>{t('link')}</h2>
        {expiresAt !== null && <p className="muted">{t('linkText', { time: format.time(expiresAt) })}</p>}
        {links.map(([label, address]) =>
          typeof address === 'string' ? <CopyField key={label} label={label} value={address} /> : null,
        )}
        <CopyField label={t('embed')} hint={t('embedHint')} value={embedCode(link.data, video.title)} isLong />
      </section>
    </div>
  );
}

/** The qualities that are made, and those to come: heights of the ladder that the film reaches. */
function Renditions({ video }: { video: Video }): ReactElement | null {
  const t = useMessages(videoMessages);
  const format = useFormat();
  const { renditions, encoding, height } = video;
  const made = renditions.map((rendition) => rendition.height);
  const toCome = !isUnderWay(video)
    ? []
    : (encoding?.ladder ?? []).filter((rung) => !made.includes(rung) && (height === null || rung <= height));
  if (made.length + toCome.length === 0) return null;
  const all = made.length + toCome.length;
  return (
    <section className="card stack">
      <h2>{t('renditions')}</h2>
      {toCome.length > 0 && (
        <progress className="progress" value={made.length} max={all} aria-label={t('renditions')} />
      )}
      <ul className="renditions">
        {renditions.map((rendition) => (
          <li key={rendition.height}>
            <span>{`${rendition.width} × ${rendition.height}`}</span>
            <span className="muted">{t('bandwidth', { rate: format.bytes(rendition.bandwidth / 8) })}</span>
            <Badge tone="good">{t('made')}</Badge>
          </li>
        ))}
        {toCome.map((rung) => (
          <li key={rung}>
            <span>{rung}</span>
            <span />
            <Badge>{t('waiting')}</Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Facts({ video }: { video: Video }): ReactElement {
  const t = useMessages(videoMessages);
  const format = useFormat();
  const { durationSeconds, width, height, hasAudio, encodingMinutes, storedBytes, originalKept, createdAt } = video;
  const yesNo = (value: boolean): string => t(value ? 'yes' : 'no');
  return (
    <section className="card stack">
      <h2>{t('facts')}</h2>
      <dl className="facts">
        {durationSeconds !== null && (
          <>
            <dt>{t('length')}</dt>
            <dd className="numeric">{format.clock(durationSeconds)}</dd>
          </>
        )}
        {width !== null && height !== null && (
          <>
            <dt>{t('resolution')}</dt>
            <dd className="numeric">{`${width} × ${height}`}</dd>
          </>
        )}
        {hasAudio !== null && (
          <>
            <dt>{t('sound')}</dt>
            <dd>{yesNo(hasAudio)}</dd>
          </>
        )}
        {encodingMinutes !== null && (
          <>
            <dt>{t('minutes')}</dt>
            <dd className="numeric">{format.number(encodingMinutes)}</dd>
          </>
        )}
        <dt>{t('stored')}</dt>
        <dd className="numeric">{format.bytes(storedBytes)}</dd>
        <dt>{t('original')}</dt>
        <dd>{yesNo(originalKept)}</dd>
        <dt>{t('added')}</dt>
        <dd>{format.time(createdAt)}</dd>
        {Object.entries(video.metadata).flatMap(([name, value]) => [
          <dt key={`${name} name`}>{name}</dt>,
          <dd key={name}>{String(value)}</dd>,
        ])}
      </dl>
    </section>
  );
}
