import { useEffect, useRef, useState, type ReactElement } from 'react';
import { reachable } from '../../api/delivery.ts';
import { useMe } from '../../api/me.ts';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { videoMessages } from './messages.ts';

type Link = components['schemas']['Link'];

const hlsType = 'application/vnd.apple.mpegurl';

/** Plays a film: by the browser itself where it can, else with hls.js, which is loaded then. */
export function Player({ link, title }: { link: Link; title: string }): ReactElement {
  const t = useMessages(videoMessages);
  const media = useRef<HTMLVideoElement>(null);
  const [fault, setFault] = useState<'none' | 'broken' | 'origin'>('none');
  const plain = useMe()?.plainDelivery ?? null;
  const { url, nativeUrl = null, posterUrl = null } = link;
  useEffect(() => {
    const element = media.current;
    if (element === null) return;
    if (nativeUrl !== null && element.canPlayType(hlsType) !== '') {
      element.src = reachable(nativeUrl, plain);
      return;
    }
    let isGone = false;
    let end = (): void => {};
    void import('hls.js').then(({ default: Hls }) => {
      if (isGone) return;
      if (!Hls.isSupported()) return setFault('broken');
      const hls = new Hls();
      hls.on(Hls.Events.ERROR, (_, { fatal, type }) => {
        if (fatal) setFault(type === Hls.ErrorTypes.NETWORK_ERROR ? 'origin' : 'broken');
      });
      hls.loadSource(reachable(url, plain));
      hls.attachMedia(element);
      end = () => hls.destroy();
    });
    return () => {
      isGone = true;
      end();
    };
  }, [url, nativeUrl, plain]);
  return (
    <div className="stack">
      <video
        ref={media}
        className="film"
        controls
        playsInline
        preload="metadata"
        aria-label={title}
        {...(posterUrl !== null && { poster: reachable(posterUrl, plain) })}
        onError={() => setFault('broken')}
      />
      {fault === 'broken' && <p className="muted">{t('unplayable')}</p>}
      {fault === 'origin' && <p className="muted">{t('allowOrigin', { origin: location.origin })}</p>}
    </div>
  );
}
