import { SourceError, type Source, type SourceEntry, type SourcePage } from '../../../../../adapters/sources/port.ts';
import type { OpenSource } from '../../../read-address.ts';

const pageFiles = 500;

function entryOf(index: number): SourceEntry {
  const name = String(index).padStart(7, '0');
  return {
    externalId: `canvas:made/1/${name}`,
    filename: `${name}.txt`,
    sourceUrl: `https://made.example/${name}`,
    sourceVersion: `"${name}"`,
    bytes: 1,
    contentId: null,
    principals: null,
  };
}

/** A source that is configured by the path of its address: a number of files, or a kind of failure. */
export const openConnectorSource: OpenSource = ({ source, credential, client }) => {
  const { pathname } = new URL(source.kind === 'canvas' ? source.config.baseUrl : 'https://made.example/');
  const [, kind = '', count = '0'] = pathname.split('/');
  const list = async (cursor: string | null, signal: AbortSignal): Promise<SourcePage> => {
    if (kind === 'refuses') throw new SourceError('credential', `the credential was ${credential}`);
    if (kind === 'asks') await client.request('https://elsewhere.example/', { maxBytes: 1, signal });
    if (kind === 'waits')
      await new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
      );
    if (kind === 'blocks') {
      await client.request('https://elsewhere.example/', { maxBytes: 1 }).catch(() => undefined);
      for (;;);
    }
    if (kind === 'grows')
      for (
        const held: string[][] = [];
        ;
        held.push(Array.from({ length: 10_000 }, (_, index) => `${held.length} ${index}`))
      );
    const first = Number(cursor ?? 0);
    const entries = Array.from({ length: Math.min(pageFiles, Number(count) - first) }, (_, index) =>
      entryOf(first + index),
    );
    return { entries, gaps: [], next: first + pageFiles < Number(count) ? String(first + pageFiles) : null };
  };
  return Promise.resolve({
    list,
    addressOf: () => Promise.reject(new SourceError('absent', 'nothing is read here')),
    close: () => Promise.resolve(),
  } satisfies Source);
};
