import { useMemo, useSyncExternalStore, type ReactElement } from 'react';
import { asFailure } from '../../api/failure.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { fileMessages } from './messages.ts';
import { StateBadge, type Asset } from './state.tsx';
import { uploadStore, type Upload } from './uploads.ts';

/**
 * What is being sent from this page, and what could not be.
 * @param files files that are loaded, which say how far those are that were sent
 */
export function UploadPanel({ files }: { files: readonly (Asset | undefined)[] }): ReactElement | null {
  const t = useMessages(fileMessages);
  const uploads = useSyncExternalStore(uploadStore.subscribe, uploadStore.current);
  // Not at each step of an upload: there may be a million files.
  const byId = useMemo(
    () => new Map(files.flatMap((asset) => (asset === undefined ? [] : [[asset.assetId, asset] as const]))),
    [files],
  );
  if (uploads.length === 0) return null;
  const stateOf = ({ state, error, bucketName, assetId }: Upload): ReactElement | string => {
    const asset = byId.get(assetId ?? '');
    if (asset !== undefined) return <StateBadge asset={asset} />;
    if (state === 'sending' && bucketName !== null) return t('sendingTo', { bucket: bucketName });
    if (state !== 'failed') return t(state);
    const { code, message, requestId } = asFailure(error);
    return [t('failed'), message || code, requestId ?? ''].filter((part) => part !== '').join(' · ');
  };
  return (
    <section className="card stack uploads" aria-label={t('uploads')}>
      <div className="page-head">
        <h2>{t('uploads')}</h2>
        <Button look="quiet" onClick={uploadStore.clear}>
          {t('clear')}
        </Button>
      </div>
      <ul>
        {uploads.slice(-200).map((upload) => (
          <li key={upload.id}>
            <span>{upload.path}</span>
            <span className="muted">{stateOf(upload)}</span>
            {upload.state === 'sending' && (
              <progress className="progress" value={upload.share} max={1} aria-label={upload.path} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
