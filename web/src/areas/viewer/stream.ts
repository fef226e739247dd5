const playlistType = 'application/vnd.apple.mpegurl';

/**
 * Plays a stream (HLS) in a media element: by the browser where it can, else with hls.js, which is loaded then.
 * @returns stops loading
 */
export function playStream(media: HTMLMediaElement, address: string, onError: (error: unknown) => void): () => void {
  if (media.canPlayType(playlistType) !== '') {
    media.src = address;
    return () => media.removeAttribute('src');
  }
  let isOver = false;
  let stop = (): void => undefined;
  import('hls.js').then(
    ({ default: Hls }) => {
      if (isOver) return;
      if (!Hls.isSupported()) {
        onError(new Error('this browser plays no streams'));
        return;
      }
      const player = new Hls({ maxBufferLength: 30 });
      stop = () => player.destroy();
      player.on(Hls.Events.ERROR, (_event, { fatal, details, error }) => {
        if (fatal) onError(new Error(`${details}: ${error.message}`));
      });
      player.loadSource(address);
      player.attachMedia(media);
    },
    (error: unknown) => onError(error),
  );
  return () => {
    isOver = true;
    stop();
  };
}
