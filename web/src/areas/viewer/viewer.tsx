import { lazy, Suspense, type ReactElement } from 'react';
import { asFailure } from '../../api/failure.ts';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import type { FileAddress } from './address.ts';
import { IndexedText } from './indexed-text.tsx';
import { useFileLink } from './link.ts';
import { viewerMessages } from './messages.ts';
import type { FoundPassage } from './passages.ts';
import { Recording } from './recording.tsx';
import { textExtensions } from './text-content.ts';
import './viewer.css';

const PdfViewer = lazy(() => import('./pdf.tsx').then((module) => ({ default: module.PdfViewer })));
const TextViewer = lazy(() => import('./text.tsx').then((module) => ({ default: module.TextViewer })));

type Asset = components['schemas']['Asset'];

/** Shows a file at a place: a document at its page or line, a recording from its second. */
export function Viewer({
  asset,
  at,
  passages,
  onMove,
}: {
  asset: Asset;
  at: FileAddress;
  passages: readonly FoundPassage[];
  onMove: (at: FileAddress) => void;
}): ReactElement | null {
  const t = useMessages(viewerMessages);
  const link = useFileLink(asset.assetId, at.as);
  const { kind, assetId, filename, bucketId } = asset;
  if (kind !== 'document')
    return <Recording key={assetId} asset={asset} kind={kind} at={at} passages={passages} link={link} />;
  const text = <IndexedText assetId={assetId} filename={filename} at={at} passages={passages} />;
  if (link.isError)
    return asFailure(link.error).code === 'asset_not_playable' ? (
      <div className="stack">
        <p className="muted">{t('documentElsewhere')}</p>
        {text}
      </div>
    ) : (
      <FailureNotice error={link.error} onRetry={() => void link.refetch()} />
    );
  if (link.isPending) return <Skeletons lines={8} />;
  const extension = (/\.([^./]+)$/.exec(filename)?.[1] ?? '').toLowerCase();
  const { url } = link.data;
  const shared = { url, bucketId, filename, passages };
  if (extension === 'pdf')
    return (
      <Suspense fallback={<Skeletons lines={10} />}>
        <PdfViewer
          {...shared}
          page={at.page ?? 1}
          onPage={(page) =>
            onMove({ page, ...(at.q !== undefined && { q: at.q }), ...(at.as !== undefined && { as: at.as }) })
          }
        />
      </Suspense>
    );
  if (textExtensions.has(extension))
    return (
      <Suspense fallback={<Skeletons lines={10} />}>
        <TextViewer {...shared} extension={extension} line={at.line ?? at.row} />
      </Suspense>
    );
  return (
    <div className="stack">
      <div className="actions">
        <span className="muted">{t('asText')}</span>
        <a className="button" href={url} target="_blank" rel="noreferrer">
          {t('openFile')}
        </a>
      </div>
      {text}
    </div>
  );
}
