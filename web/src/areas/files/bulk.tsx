import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useCollections } from '../../api/collections.ts';
import { asFailure } from '../../api/failure.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FailureNotice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { fileMessages } from './messages.ts';

/** Requests that are under way at once. */
const lanes = 4;
/** Files that one request adds to a collection. */
const collectedAtOnce = 1000;

/** Does something with each of some files. @returns how many it was done with, and the first failure of the others */
async function withEach(
  ids: readonly string[],
  act: (assetId: string) => Promise<unknown>,
): Promise<{ done: number; error: unknown }> {
  const queue = [...ids];
  let [done, error]: [number, unknown] = [0, null];
  const work = async (): Promise<void> => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift())
      try {
        await act(id);
        done += 1;
      } catch (failure) {
        error ??= asFailure(failure);
      }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return { done, error };
}

/** What can be done with the files that are chosen in the list. */
export function BulkActions({ chosen, onClear }: { chosen: ReadonlySet<string>; onClear: () => void }): ReactElement {
  const t = useMessages(fileMessages);
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const collections = useCollections();
  const count = chosen.size;
  const run = async (work: Promise<{ done: number; error: unknown }>): Promise<void> => {
    setBusy(true);
    const outcome = await work;
    setBusy(false);
    setAsking(false);
    setError(outcome.error);
    if (outcome.done > 0) toast(t('bulkDone', { count: outcome.done }));
    if (outcome.error === null) onClear();
    await queries.invalidateQueries({ queryKey: ['assets'] });
    await queries.invalidateQueries({ queryKey: ['collections'] });
  };
  const reindex = (assetId: string): Promise<unknown> =>
    answered(
      api.POST('/api/content/v1/assets/{assetId}/reindex', {
        params: { path: { assetId }, header: { 'Idempotency-Key': crypto.randomUUID() } },
      }),
    );
  const remove = (assetId: string): Promise<unknown> =>
    answered(api.DELETE('/api/content/v1/assets/{assetId}', { params: { path: { assetId } } }));
  /** Puts the chosen files into a collection, or takes them out of it, as many at once as the API takes. */
  const collect = async (externalId: string, way: 'add' | 'remove'): Promise<{ done: number; error: unknown }> => {
    const ids = [...chosen];
    for (let done = 0; done < ids.length; done += collectedAtOnce)
      try {
        await answered(
          api.PUT('/api/content/v1/collections/{externalId}/assets', {
            params: { path: { externalId } },
            body: { [way]: ids.slice(done, done + collectedAtOnce) },
          }),
        );
      } catch (failure) {
        return { done, error: asFailure(failure) };
      }
    return { done: ids.length, error: null };
  };
  return (
    <section className="card bulk" aria-label={t('bulk')}>
      <p role="status">{t('chosen', { count })}</p>
      <div className="actions">
        <Button icon="refresh" isBusy={isBusy} onClick={() => void run(withEach([...chosen], reindex))}>
          {t('reindex')}
        </Button>
        <Button icon="trash" look="danger" isBusy={isBusy} onClick={() => setAsking(true)}>
          {t('remove')}
        </Button>
        {(collections.data?.items.length ?? 0) > 0 && (
          <>
            {(['add', 'remove'] as const).map((way) => (
              <SelectField
                key={way}
                label={t(way === 'add' ? 'collect' : 'takeOut')}
                value=""
                options={[
                  ['', '–'],
                  ...(collections.data?.items ?? []).map(({ externalId, name }) => [externalId, name] as const),
                ]}
                onChange={({ target }) => {
                  if (target.value !== '') void run(collect(target.value, way));
                }}
              />
            ))}
          </>
        )}
        <Button look="quiet" onClick={onClear}>
          {t('clearChoice')}
        </Button>
      </div>
      {error !== null && <FailureNotice error={error} />}
      {isAsking && (
        <ConfirmDialog
          title={t('bulkRemoveTitle', { count })}
          action={t('remove')}
          name={String(count)}
          isBusy={isBusy}
          onConfirm={() => void run(withEach([...chosen], remove))}
          onClose={() => setAsking(false)}
        >
          {t('removeText')}
        </ConfirmDialog>
      )}
    </section>
  );
}
