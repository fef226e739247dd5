import type { PDFDocumentProxy } from 'pdfjs-dist';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Skeletons } from '../../ui/states.tsx';
import { viewerMessages } from './messages.ts';
import { PdfPage } from './pdf-page.tsx';
import { openPdf } from './pdf-document.ts';
import { scrollWithin } from './scroll.ts';
import type { FoundPassage } from './passages.ts';
import { ReadFailure } from './read-failure.tsx';

const zooms = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];

interface Props {
  url: string;
  bucketId: string | null;
  filename: string;
  /** The page that it opens at, from 1. */
  page: number;
  /** The passages to mark; the first one on `page` is scrolled to. */
  passages: readonly FoundPassage[];
  onPage: (page: number) => void;
}

/** A PDF, opened at a page with passages marked. Only pages near the view are drawn. */
export function PdfViewer({ url, bucketId, filename, page, passages, onPage }: Props): ReactElement {
  const t = useMessages(viewerMessages);
  const scroller = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<{ pdf: PDFDocumentProxy; ratio: number } | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const [zoom, setZoom] = useState(1);
  const [width, setWidth] = useState(0);

  useEffect(() => {
    setError(null);
    return openPdf(url, setOpened, setError);
  }, [url, attempt]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [opened]);
  const isShown = opened !== null && width > 0;
  useEffect(() => {
    if (!isShown) return;
    const [view, wanted] = [scroller.current, scroller.current?.querySelector(`[data-page="${page}"]`)];
    if (view !== null && wanted !== null && wanted !== undefined) scrollWithin(view, wanted, 0);
  }, [isShown, page]);

  if (error !== null)
    return <ReadFailure error={error} url={url} bucketId={bucketId} onRetry={() => setAttempt(attempt + 1)} />;
  if (opened === null) return <Skeletons lines={10} />;
  const { pdf, ratio } = opened;
  const at = zooms.indexOf(zoom);
  const go = (next: number): void => onPage(Math.min(pdf.numPages, Math.max(1, next)));
  return (
    <section className="document" aria-label={t('document')}>
      <div className="document-bar">
        <form
          key={page}
          onSubmit={(event) => {
            event.preventDefault();
            go(Math.trunc(Number(new FormData(event.currentTarget).get('page'))) || 1);
          }}
        >
          <Button look="quiet" onClick={() => go(page - 1)} disabled={page <= 1}>
            {t('previousPage')}
          </Button>
          <label>
            {t('pageNumber')}
            <input className="input" name="page" inputMode="numeric" defaultValue={page} size={4} />
          </label>
          <span className="muted numeric">{t('ofPages', { count: pdf.numPages })}</span>
          <Button look="quiet" onClick={() => go(page + 1)} disabled={page >= pdf.numPages}>
            {t('nextPage')}
          </Button>
        </form>
        <div className="actions">
          <Button
            look="quiet"
            disabled={at <= 0}
            onClick={() => setZoom(zooms[at - 1] ?? zoom)}
            aria-label={t('smaller')}
          >
            −
          </Button>
          <Button
            look="quiet"
            disabled={at === zooms.length - 1}
            onClick={() => setZoom(zooms[at + 1] ?? zoom)}
            aria-label={t('larger')}
          >
            +
          </Button>
        </div>
      </div>
      <div className="document-pages" ref={scroller} tabIndex={0} role="group" aria-label={filename}>
        {isShown &&
          Array.from({ length: pdf.numPages }, (_, index) => (
            <PdfPage
              key={index}
              pdf={pdf}
              number={index + 1}
              width={Math.max(160, width - 32) * zoom}
              ratio={ratio}
              passages={passages}
              isWanted={index + 1 === page}
            />
          ))}
      </div>
    </section>
  );
}
