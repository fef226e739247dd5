import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Badge, FailureNotice, Skeletons } from '../../ui/states.tsx';
import { keys, useChange } from './change.ts';
import { tuningMessages } from './messages.ts';
import { usePins, writePin } from './pins.tsx';

type Item = components['schemas']['SearchItem'];
type Found = components['schemas']['SearchResult'];

/** A query with what it finds now, beside what it found before the last change. */
export function Trial(): ReactElement {
  const t = useMessages(tuningMessages);
  const { q = '' } = useSearch({ from: '/shell/tuning' });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [typed, setTyped] = useState(q);
  const now = useQuery({
    queryKey: [keys.trial, q],
    enabled: q !== '',
    queryFn: () => answered(api.POST('/api/content/v1/search', { body: { query: q, limit: 10, group: 'file' } })),
  });
  const before = queries.getQueryData<Found>([keys.before, q]);
  return (
    <section className="card stack">
      <h2>{t('trial')}</h2>
      <form
        className="tuning-form"
        onSubmit={(event) => {
          event.preventDefault();
          void navigate({ to: '/tuning', search: typed.trim() === '' ? {} : { q: typed.trim() } });
        }}
      >
        <TextField
          label={t('query')}
          hint={t('trialHint')}
          type="search"
          maxLength={400}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Button type="submit" look="primary" icon="search">
          {t('run')}
        </Button>
      </form>
      {q !== '' && now.isPending && <Skeletons />}
      {now.isError && <FailureNotice error={now.error} onRetry={() => void now.refetch()} />}
      {now.isSuccess && (
        <div className="tuning-sides">
          <section className="stack" aria-label={t('before')}>
            <h3>{t('before')}</h3>
            {before === undefined ? (
              <p className="muted">{t('noChange')}</p>
            ) : (
              <Results query={q} items={before.items} others={null} />
            )}
          </section>
          <section className="stack" aria-label={t('now')}>
            <h3>{t('now')}</h3>
            <Results query={q} items={now.data.items} others={before?.items ?? null} canPin />
          </section>
        </div>
      )}
    </section>
  );
}

interface ResultsProps {
  query: string;
  items: readonly Item[];
  /** With what the places are compared. */
  others: readonly Item[] | null;
  canPin?: boolean;
}

function Results({ query, items, others, canPin = false }: ResultsProps): ReactElement {
  const t = useMessages(tuningMessages);
  const pins = usePins();
  const change = useChange(writePin);
  if (items.length === 0) return <p className="muted">{t('nothing')}</p>;
  const assetIds = pins.data?.items.find((rule) => rule.query === query)?.assetIds ?? [];
  return (
    <>
      <ol className="tuning-results">
        {items.map(({ assetId, filename, pinned, snippet }, place) => {
          const isPinned = assetIds.includes(assetId);
          return (
            <li key={assetId}>
              <span className="tuning-name">
                <strong>{filename}</strong> {pinned && <Badge tone="good">{t('pinned')}</Badge>}{' '}
                {others !== null && <Moved from={others.findIndex((each) => each.assetId === assetId)} to={place} />}
              </span>
              {canPin && (
                <Allowed role="editor" isQuiet>
                  <Button
                    look="quiet"
                    icon={isPinned ? 'close' : 'upload'}
                    label={t(isPinned ? 'unpin' : 'pin', { name: filename })}
                    onClick={() =>
                      change.mutate({
                        query,
                        assetIds: isPinned
                          ? assetIds.filter((id) => id !== assetId)
                          : [...assetIds, assetId].slice(-10),
                      })
                    }
                  />
                </Allowed>
              )}
              <p className="muted">{snippet}</p>
            </li>
          );
        })}
      </ol>
      {change.isError && <FailureNotice error={change.error} />}
    </>
  );
}

/** How a result has moved. */
function Moved({ from, to }: { from: number; to: number }): ReactElement | null {
  const t = useMessages(tuningMessages);
  if (from < 0) return <Badge tone="good">{t('new')}</Badge>;
  if (from === to) return null;
  const count = String(Math.abs(from - to));
  return from > to ? <Badge tone="good">{t('up', { count })}</Badge> : <Badge>{t('down', { count })}</Badge>;
}
