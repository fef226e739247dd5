import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Marked } from '../../ui/marked.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { placeKey, readersOf, type FileAddress } from './address.ts';
import { locate } from './find.ts';
import { viewerMessages } from './messages.ts';
import type { FoundPassage } from './passages.ts';
import { placeName } from './place.ts';
import { scrollWithin } from './scroll.ts';

const pageSize = 100;

/**
 * The text of a document as it is searched, passage after passage with their places: for files whose own look is not
 * shown here. It opens at the passage of the address, for which as much is loaded as it takes.
 */
export function IndexedText({
  assetId,
  filename,
  at,
  passages,
}: {
  assetId: string;
  filename: string;
  at: FileAddress;
  passages: readonly FoundPassage[];
}): ReactElement {
  const t = useMessages(viewerMessages);
  const scroller = useRef<HTMLDivElement>(null);
  const principals = readersOf(at.as);
  const list = useInfiniteQuery({
    queryKey: ['asset', assetId, 'passages', at.as],
    staleTime: 60_000,
    initialPageParam: 0,
    queryFn: ({ pageParam: from }) =>
      answered(
        api.GET('/api/content/v1/assets/{assetId}/passages', {
          params: {
            path: { assetId },
            query: { from, limit: pageSize, ...(principals === undefined ? {} : { principals }) },
          },
        }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const items = useMemo(() => list.data?.pages.flatMap((page) => page.items) ?? [], [list.data]);
  const found = useMemo(() => new Map(passages.map((passage) => [placeKey(passage.location), passage])), [passages]);
  const sought = at.p ?? placeKey(passages[0]?.location ?? {});
  const target = items.findIndex(({ location }) => sought !== undefined && placeKey(location) === sought);
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = list;
  useEffect(() => {
    if (at.p !== undefined && target < 0 && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [at.p, target, hasNextPage, isFetchingNextPage, fetchNextPage]);
  useEffect(() => {
    const [view, row] = [scroller.current, scroller.current?.querySelector('[aria-current=location]')];
    if (view !== null && row !== null && row !== undefined) scrollWithin(view, row, 0.2);
  }, [target]);
  if (list.isPending) return <Skeletons lines={10} />;
  if (list.isError) return <FailureNotice error={list.error} onRetry={() => void list.refetch()} />;
  if (items.length === 0) return <p className="muted">{t('noText')}</p>;
  return (
    <section className="document" aria-label={t('document')}>
      <div className="document-passages" ref={scroller} tabIndex={0} role="group" aria-label={filename}>
        <ol>
          {items.map(({ passageId, text, location }, index) => {
            const hit = found.get(placeKey(location));
            const place = placeName(location, t);
            const before = items[index - 1];
            const isSamePlace = before !== undefined && placeName(before.location, t) === place;
            return (
              <li
                key={passageId}
                data-marked={hit !== undefined || undefined}
                aria-current={index === target ? 'location' : undefined}
              >
                {place !== null && !isSamePlace && <p className="document-place numeric">{place}</p>}
                <p className="document-text-of">
                  <Marked
                    text={text}
                    ranges={hit === undefined ? [] : locate([text], hit.snippet, hit.highlights).words}
                  />
                </p>
              </li>
            );
          })}
        </ol>
        {hasNextPage && (
          <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('moreText')}
          </Button>
        )}
      </div>
    </section>
  );
}
