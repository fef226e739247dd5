import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { reachable } from '../../api/delivery.ts';
import { useMe } from '../../api/me.ts';
import type { components } from '../../api/schema.d.ts';
import { readersOf } from './address.ts';

/** The addresses that a file is played or read at in this browser. */
export type FileLink = Pick<components['schemas']['PlaybackLink'], 'format' | 'url' | 'nativeUrl' | 'posterUrl'>;

/** Links are asked for again after this time: they work for at least a quarter of an hour. */
const freshMs = 8 * 60_000;

/** The link of a file of the organization's own buckets; fails with `asset_not_playable` for files elsewhere. */
export function useFileLink(assetId: string, as: string | undefined): UseQueryResult<FileLink> {
  const me = useMe();
  const principals = readersOf(as);
  return useQuery({
    queryKey: ['playback', assetId, as],
    enabled: me !== undefined,
    staleTime: freshMs,
    // A player keeps its address while it plays.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    queryFn: async (): Promise<FileLink> => {
      const { format, url, nativeUrl, posterUrl } = await answered(
        api.GET('/api/content/v1/assets/{assetId}/playback', {
          params: { path: { assetId }, query: principals === undefined ? {} : { principals } },
        }),
      );
      const here = (link: string | null): string | null =>
        link === null ? null : reachable(link, me?.plainDelivery ?? null);
      return { format, url: here(url) ?? url, nativeUrl: here(nativeUrl), posterUrl: here(posterUrl) };
    },
  });
}

/** Bytes up to which a document is loaded into the page. */
export const contentLimit = 64 * 2 ** 20;

/** A document that is not shown in the page because of its size. */
export class TooLarge extends Error {}

/** The bytes of a document. @throws TypeError where its bucket does not let this page read it; TooLarge */
export async function contentOf(url: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const response = await fetch(url, { signal, credentials: 'omit', referrerPolicy: 'no-referrer' });
  if (!response.ok) throw new Error(`the file was answered ${response.status}`);
  if (Number(response.headers.get('content-length') ?? 0) > contentLimit) throw new TooLarge();
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength > contentLimit) throw new TooLarge();
  return bytes;
}
