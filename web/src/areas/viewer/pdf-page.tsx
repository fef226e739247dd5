import { TextLayer, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { locate, type PieceRange } from './find.ts';
import { markRanges } from './marks.ts';
import { scrollWithin } from './scroll.ts';
import type { FoundPassage } from './passages.ts';

/** Pixels of a canvas that browsers and devices draw without trouble. */
const maxPixels = 16 * 2 ** 20;

interface Props {
  pdf: PDFDocumentProxy;
  number: number;
  /** CSS pixels. */
  width: number;
  /** Height as a multiple of the width until the page is known. */
  ratio: number;
  passages: readonly FoundPassage[];
  /** The passages on it are scrolled to. */
  isWanted: boolean;
}

/** One page: its picture, and over it its text, which can be selected, is read aloud, and carries the marks. */
export function PdfPage({ pdf, number, width, ratio, passages, isWanted }: Props): ReactElement {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const [page, setPage] = useState<PDFPageProxy | null>(null);
  const [lines, setLines] = useState<{ elements: HTMLElement[]; texts: string[] } | null>(null);

  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting === true), {
      root: frame.current?.parentElement ?? null,
      rootMargin: '800px 0px',
    });
    if (frame.current !== null) observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!isNear || page !== null) return;
    let isOver = false;
    void pdf.getPage(number).then(
      (found) => {
        if (!isOver) setPage(found);
      },
      () => undefined,
    );
    return () => {
      isOver = true;
    };
  }, [pdf, number, isNear, page]);
  useEffect(() => {
    const [picture, text] = [canvas.current, layer.current];
    if (!isNear || page === null || picture === null || text === null) return;
    const scale = width / page.getViewport({ scale: 1 }).width;
    const viewport = page.getViewport({ scale });
    const density = Math.min(devicePixelRatio, Math.sqrt(maxPixels / (viewport.width * viewport.height)));
    picture.width = Math.floor(viewport.width * density);
    picture.height = Math.floor(viewport.height * density);
    const drawing = page.render({
      canvas: picture,
      viewport,
      ...(density === 1 ? {} : { transform: [density, 0, 0, density, 0, 0] }),
    });
    // A drawing that is cancelled rejects.
    drawing.promise.catch(() => undefined);
    text.replaceChildren();
    text.style.setProperty('--total-scale-factor', String(scale));
    // Words whose drawing is cancelled reject too.
    const words = new TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport });
    words.render().then(
      () => setLines({ elements: words.textDivs, texts: words.textContentItemsStr }),
      () => undefined,
    );
    return () => {
      drawing.cancel();
      words.cancel();
      setLines(null);
      // A canvas out of view gives its memory back.
      picture.width = 0;
    };
  }, [page, width, isNear]);
  useEffect(() => {
    if (lines === null) return;
    const wanted = passages.filter(({ location }) => location.page === number);
    const found = wanted.map(({ snippet, highlights }) => locate(lines.texts, snippet, highlights));
    const rangeOf = ({ piece, start, end }: PieceRange): Range[] => {
      const text = lines.elements[piece]?.firstChild;
      if (!(text instanceof Text) || end > text.length) return [];
      const range = document.createRange();
      range.setStart(text, start);
      range.setEnd(text, end);
      return [range];
    };
    const passage = found.flatMap((one) => one.passage.flatMap(rangeOf));
    const unmark = markRanges({ passage, words: found.flatMap((one) => one.words.flatMap(rangeOf)) });
    const [view, first] = [frame.current?.parentElement, passage[0]];
    if (isWanted && view instanceof HTMLElement && first !== undefined) scrollWithin(view, first, 1 / 4);
    return unmark;
  }, [lines, passages, number, isWanted]);

  const known = page?.getViewport({ scale: 1 });
  const height = width * (known === undefined ? ratio : known.height / known.width);
  return (
    <div className="document-page" ref={frame} data-page={number} style={{ inlineSize: width, blockSize: height }}>
      <canvas ref={canvas} aria-hidden="true" />
      <div ref={layer} className="document-text" />
    </div>
  );
}
