import { keepPreviousData, useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { nextLook, type Asset } from './state.tsx';

/** What the list of files is narrowed to. */
export interface ListFilter {
  q?: string;
  kind?: components['schemas']['Kind'];
  state?: Asset['state'];
  connectorId?: string;
}

/** Kinds that the list can be narrowed to. */
export const kinds = ['document', 'audio', 'video'] as const;
/** States that the list can be narrowed to. */
export const states = ['ready', 'indexing', 'failed', 'awaiting_source_access'] as const;

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The filter in the address of the list; what is invalid is left out. */
export function listFilter({ q, kind, state, connectorId }: { readonly [name: string]: unknown }): ListFilter {
  const [knownKind, knownState] = [kinds.find((name) => name === kind), states.find((name) => name === state)];
  const text = typeof q === 'number' ? String(q) : q;
  return {
    ...(typeof text === 'string' && text !== '' && { q: text }),
    ...(knownKind !== undefined && { kind: knownKind }),
    ...(knownState !== undefined && { state: knownState }),
    ...(typeof connectorId === 'string' && uuidForm.test(connectorId) && { connectorId }),
  };
}

/** The files of a list of any length: those that are not in view are not loaded. */
export interface FileRows {
  rows: readonly (Asset | undefined)[];
  /** Null until it is known, and where a filter is on: files are then counted as they come. */
  total: number | null;
  isPending: boolean;
  error: unknown;
  retry: () => void;
  onView: (first: number, last: number) => void;
}

const pageSize = 100;
/** The largest offset that the API takes. */
const lastPage = 1_000_000 / pageSize;

/** All files, newest first: the pages that are in view are loaded, wherever they are, and looked at while files move. */
export function useAllFiles(isOn: boolean): FileRows {
  const [view, setView] = useState({ first: 0, last: 0 });
  const pages = useMemo(() => {
    const inView = Array.from({ length: view.last - view.first + 1 }, (_, index) => view.first + index);
    return [...new Set([0, ...inView])].filter((page) => page <= lastPage);
  }, [view]);
  const { items, total, isPending, error, retry } = useQueries({
    queries: pages.map((page) => ({
      queryKey: ['assets', 'page', page],
      enabled: isOn,
      queryFn: () =>
        answered(
          api.GET('/api/content/v1/assets', { params: { query: { limit: pageSize, offset: page * pageSize } } }),
        ),
      refetchInterval: ({ state }: { state: { data?: { items: Asset[] } | undefined; dataUpdateCount: number } }) =>
        nextLook(state.data?.items ?? [], state.dataUpdateCount),
    })),
    combine: useCallback(
      (results: readonly PageResult[]) => ({
        items: results.map(({ data }, index) => [pages[index] ?? 0, data?.items ?? []] as const),
        total: results.find(({ data }) => data !== undefined)?.data?.total ?? null,
        isPending: results[0]?.isPending ?? true,
        error: results.find((result) => result.error !== null)?.error ?? null,
        retry: () => results.forEach(({ refetch }) => void refetch()),
      }),
      [pages],
    ),
  });
  const rows = useMemo(() => {
    const all = Array.from<Asset | undefined>({ length: total ?? 0 });
    for (const [page, loaded] of items)
      loaded.forEach((asset, index) => {
        if (page * pageSize + index < all.length) all[page * pageSize + index] = asset;
      });
    return all;
  }, [items, total]);
  const onView = useCallback((first: number, last: number) => {
    const next = { first: Math.floor(first / pageSize), last: Math.floor(last / pageSize) };
    setView((now) => (now.first === next.first && now.last === next.last ? now : next));
  }, []);
  return { rows, total, isPending, error, retry, onView };
}

interface PageResult {
  data: components['schemas']['Assets'] | undefined;
  isPending: boolean;
  error: unknown;
  refetch: () => unknown;
}

/** The files that a filter leaves, newest first, loaded from the beginning on as far as the view goes. */
export function useFilteredFiles(filter: ListFilter, isOn: boolean): FileRows {
  const list = useInfiniteQuery({
    queryKey: ['assets', 'filtered', filter],
    enabled: isOn,
    placeholderData: keepPreviousData,
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      answered(
        api.GET('/api/content/v1/activity', {
          params: { query: { ...filter, limit: pageSize, ...(pageParam !== '' && { cursor: pageParam }) } },
        }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const { fetchNextPage, hasNextPage, isFetchingNextPage, refetch } = list;
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const onView = useCallback(
    (_first: number, last: number) => {
      if (last >= rows.length - 1 && hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
    [rows.length, fetchNextPage, hasNextPage, isFetchingNextPage],
  );
  return {
    rows,
    total: null,
    isPending: list.isPending,
    error: list.error,
    retry: () => void refetch(),
    onView,
  };
}
