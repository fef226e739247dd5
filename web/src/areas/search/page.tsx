import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { Marked } from './marked.tsx';
import { searchMessages } from './messages.ts';

/** Asks a question of all files. */
export function SearchPage(): ReactElement {
  const t = useMessages(searchMessages);
  const [text, setText] = useState('');
  const [query, setQuery] = useState('');
  const result = useQuery({
    queryKey: ['search', query],
    enabled: query !== '',
    queryFn: () => answered(api.POST('/api/content/v1/search', { body: { query, limit: 20, offset: 0 } })),
  });
  return (
    <div className="page">
      <PageHead title={t('title')} />
      <form
        role="search"
        className="actions"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery(text.trim());
        }}
      >
        <input
          className="input"
          type="search"
          aria-label={t('placeholder')}
          placeholder={t('placeholder')}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" look="primary" icon="search">
          {t('submit')}
        </Button>
      </form>
      {result.isLoading && <Skeletons />}
      {result.isError && <FailureNotice error={result.error} onRetry={() => void result.refetch()} />}
      {result.data?.items.length === 0 && <EmptyState title={t('nothing')}>{t('nothingText')}</EmptyState>}
      <ol className="stack">
        {result.data?.items.map(({ assetId, filename, snippet, highlights }, index) => (
          <li key={`${assetId} ${index}`} className="card">
            <h2>{filename}</h2>
            <p>
              <Marked text={snippet} ranges={highlights} />
            </p>
          </li>
        ))}
      </ol>
    </div>
  );
}
