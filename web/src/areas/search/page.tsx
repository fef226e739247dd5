import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { includesRole, useMe } from '../../api/me.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { keepPassages } from '../viewer/passages.ts';
import { AnswerBox } from './answer.tsx';
import { Filters } from './filters.tsx';
import { searchMessages } from './messages.ts';
import { bodyOf, noteQuery } from './query.ts';
import { Result } from './result.tsx';
import type { Asked } from './routes.ts';
import { SearchBox } from './search-box.tsx';
import './search.css';

const route = getRouteApi('/shell/search');
const pageSize = 20;
/** The largest offset that the API takes. */
const lastOffset = 200;

/** Arrows walk from result to result. */
function walk(event: React.KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-result]')];
  const at = links.findIndex((link) => link === document.activeElement);
  links[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
  event.preventDefault();
}

/** What the page says before anything was asked: where there are no files yet, how to add some. */
function Start(): ReactElement {
  const t = useMessages(searchMessages);
  const mayAdd = includesRole(useMe()?.role ?? 'reader', 'editor');
  const files = useQuery({
    queryKey: ['assets', 'any'],
    queryFn: () => answered(api.GET('/api/content/v1/assets', { params: { query: { limit: 1 } } })),
  });
  return files.data?.total === 0 && mayAdd ? (
    <EmptyState title={t('noFiles')} action={<Link to="/files">{t('toFiles')}</Link>}>
      {t('noFilesText')}
    </EmptyState>
  ) : (
    <EmptyState title={t('start')}>{t('startText')}</EmptyState>
  );
}

/** Asks a question of all files. What is asked stands in the address. */
export function SearchPage(): ReactElement {
  const t = useMessages(searchMessages);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const asked: Asked = route.useSearch();
  const ask = (search: Asked): void => {
    if (search.q !== undefined) noteQuery(search.q);
    void navigate({ to: '/search', search });
  };
  const result = useInfiniteQuery({
    queryKey: ['search', asked],
    enabled: asked.q !== undefined,
    staleTime: 60_000,
    initialPageParam: 0,
    queryFn: ({ pageParam }) =>
      answered(api.POST('/api/content/v1/search', { body: { ...bodyOf(asked), limit: pageSize, offset: pageParam } })),
    getNextPageParam: ({ hasMore }, _all, offset) =>
      hasMore && offset + pageSize <= lastOffset ? offset + pageSize : undefined,
  });
  const items = useMemo(() => result.data?.pages.flatMap((page) => page.items) ?? [], [result.data]);
  useEffect(() => keepPassages(queries, asked, items), [queries, asked, items]);
  const withheld = result.data?.pages[0]?.withheldAsWeak ?? 0;
  return (
    <div className="page">
      <PageHead title={t('title')} />
      <SearchBox key={asked.q ?? ''} query={asked.q ?? ''} onSearch={(q) => ask({ ...asked, q })} />
      <Filters asked={asked} onChange={ask} />
      {asked.q === undefined && <Start />}
      {result.isLoading && <Skeletons lines={6} />}
      {result.isError && <FailureNotice error={result.error} onRetry={() => void result.refetch()} />}
      {items.length > 0 && <AnswerBox key={JSON.stringify(asked)} asked={asked} />}
      {result.isSuccess && items.length === 0 && <EmptyState title={t('nothing')}>{t('nothingText')}</EmptyState>}
      {items.length > 0 && (
        <ol className="results" aria-label={t('results')} onKeyDown={walk}>
          {items.map((item, index) => (
            <Result key={`${item.assetId} ${index}`} item={item} asked={asked} />
          ))}
        </ol>
      )}
      {withheld > 0 && <p className="muted">{t('weak', { count: withheld })}</p>}
      {result.hasNextPage && (
        <div>
          <Button isBusy={result.isFetchingNextPage} onClick={() => void result.fetchNextPage()}>
            {t('next')}
          </Button>
        </div>
      )}
    </div>
  );
}
