import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, type CSSProperties, type ReactElement } from 'react';
import { useMessages } from '../../i18n/messages.ts';
import { Marked } from '../../ui/marked.tsx';
import { Skeletons } from '../../ui/states.tsx';
import { locate, type PieceRange } from './find.ts';
import { contentOf } from './link.ts';
import { viewerMessages } from './messages.ts';
import type { FoundPassage } from './passages.ts';
import { ReadFailure } from './read-failure.tsx';
import { textContent, type TextContent } from './text-content.ts';

/** Characters of a document without numbered lines up to which passages are looked for in it. */
const locateLimit = 4_000_000;

interface Props {
  url: string;
  bucketId: string | null;
  filename: string;
  extension: string;
  /** The line or row that it opens at, from 1; undefined: the first passage. */
  line: number | undefined;
  passages: readonly FoundPassage[];
}

/** A text with its lines, opened at one, passages marked. Only lines in view are in the page. */
export function TextViewer({ url, bucketId, filename, extension, line, passages }: Props): ReactElement {
  const content = useQuery({
    queryKey: ['content', url.split('?')[0], extension],
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
    queryFn: async ({ signal }) => textContent(await contentOf(url, signal), extension),
  });
  if (content.isError)
    return <ReadFailure error={content.error} url={url} bucketId={bucketId} onRetry={() => void content.refetch()} />;
  if (content.isPending) return <Skeletons lines={10} />;
  return <Lines content={content.data} filename={filename} line={line} passages={passages} />;
}

/** The marked words of a line by its index; a line of a passage without any has an empty list. */
function marksOf({ lines, numbering }: TextContent, passages: readonly FoundPassage[]): Map<number, PieceRange[]> {
  const marks = new Map<number, PieceRange[]>();
  const length = numbering === null ? lines.reduce((sum, line) => sum + line.length, 0) : 0;
  for (const { snippet, highlights, location } of passages) {
    const { lineStart, lineEnd = lineStart, row } = location;
    const first = numbering === null ? 0 : ((numbering === 'row' ? row : lineStart) ?? 1) - 1;
    const end = numbering === null ? lines.length : numbering === 'row' ? first + 1 : (lineEnd ?? first + 1);
    if (length > locateLimit) continue;
    const { passage, words } = locate(lines.slice(first, end), snippet, highlights);
    if (numbering !== null) for (let at = first; at < end; at += 1) if (!marks.has(at)) marks.set(at, []);
    for (const { piece } of passage) if (!marks.has(first + piece)) marks.set(first + piece, []);
    for (const range of words) marks.get(first + range.piece)?.push(range);
  }
  return marks;
}

/** The line to scroll to: the first one with a marked word from the wanted line on, while lines are marked. */
function targetOf(marks: ReadonlyMap<number, readonly PieceRange[]>, line: number | undefined): number | undefined {
  const first = line === undefined ? Math.min(...marks.keys()) : line - 1;
  for (let at = first; marks.has(at); at += 1) if ((marks.get(at)?.length ?? 0) > 0) return at;
  return Number.isFinite(first) ? first : undefined;
}

function Lines({
  content,
  filename,
  line,
  passages,
}: {
  content: TextContent;
  filename: string;
  line: number | undefined;
  passages: readonly FoundPassage[];
}): ReactElement {
  const t = useMessages(viewerMessages);
  const scroller = useRef<HTMLDivElement>(null);
  const marks = useMemo(() => marksOf(content, passages), [content, passages]);
  const { lines, numbering } = content;
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 26,
    overscan: 20,
  });
  const target = useMemo(() => targetOf(marks, numbering === null ? undefined : line), [marks, numbering, line]);
  useEffect(() => {
    if (target !== undefined && target < lines.length) virtual.scrollToIndex(target, { align: 'center' });
  }, [virtual, target, lines.length]);
  const size = {
    blockSize: virtual.getTotalSize(),
    '--digits': `${String(lines.length).length}ch`,
  } as CSSProperties;
  return (
    <section className="document" aria-label={t('document')}>
      <div className="document-lines" ref={scroller} tabIndex={0} role="group" aria-label={filename}>
        <ol style={size}>
          {virtual.getVirtualItems().map(({ index, start, key }) => (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              data-marked={marks.has(index) || undefined}
              aria-current={index === target ? 'location' : undefined}
              style={{ transform: `translateY(${start}px)` }}
            >
              {numbering !== null && <span className="document-number">{index + 1}</span>}
              <span>
                <Marked text={lines[index] ?? ''} ranges={marks.get(index) ?? []} />
              </span>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
