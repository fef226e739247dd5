import { Link } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Marked } from '../../ui/marked.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { addressOf, type FileAddress } from './address.ts';
import { viewerMessages } from './messages.ts';
import type { FoundPassage } from './passages.ts';
import { placeName } from './place.ts';

/** Searches within a file, and lists what was found in it: each leads to its place. */
export function FoundPassages({
  assetId,
  at,
  passages,
  isPending,
  error,
  onSearch,
}: {
  assetId: string;
  at: FileAddress;
  passages: readonly FoundPassage[];
  isPending: boolean;
  error: unknown;
  onSearch: (query: string) => void;
}): ReactElement {
  const t = useMessages(viewerMessages);
  const [text, setText] = useState(at.q ?? '');
  const isHere = (address: FileAddress): boolean =>
    (['t', 'page', 'line', 'row', 'c', 'p'] as const).every((name) => address[name] === at[name]);
  return (
    <section className="card stack" aria-label={t('inFile')}>
      <form
        role="search"
        className="found-search"
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(text.trim());
        }}
      >
        <TextField label={t('inFile')} value={text} maxLength={2000} onChange={({ target }) => setText(target.value)} />
        <Button type="submit" icon="search" label={t('search')} />
      </form>
      {isPending && <Skeletons />}
      {error !== null && error !== undefined && <FailureNotice error={error} />}
      {at.q !== undefined && !isPending && passages.length === 0 && <p className="muted">{t('nothingHere')}</p>}
      {passages.length > 0 && (
        <ol className="found">
          {passages.map(({ snippet, highlights, location }, index) => {
            const address = addressOf(location);
            return (
              <li key={index}>
                <Link
                  to="/files/$assetId"
                  params={{ assetId }}
                  search={{
                    ...address,
                    ...(at.q !== undefined && { q: at.q }),
                    ...(at.as !== undefined && { as: at.as }),
                  }}
                  replace
                  resetScroll={false}
                  aria-current={isHere(address) ? 'location' : undefined}
                >
                  <span className="found-place numeric">{placeName(location, t) ?? t('passage')}</span>
                  <span className="found-text">
                    <Marked text={snippet} ranges={highlights} />
                  </span>
                </Link>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}
