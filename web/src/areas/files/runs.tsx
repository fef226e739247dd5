import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Badge, FailureNotice, Skeletons } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { JobAdvice } from './advice.tsx';
import { runMessages } from './run-messages.ts';
import { isMoving, type Asset } from './state.tsx';

type Job = components['schemas']['Job'];
const finished: readonly Job['state'][] = ['ready', 'failed', 'cancelled'];

function toneOf(state: Job['state']): 'good' | 'bad' | 'warn' | 'plain' {
  if (state === 'ready') return 'good';
  if (state === 'failed') return 'bad';
  return state === 'awaiting_source_access' || state === 'retry_scheduled' ? 'warn' : 'plain';
}

/** Why the last run of a file stopped or waits, what to do, and, where it waits for access, the field for an address. */
export function RunFailure({ asset }: { asset: Asset }): ReactElement | null {
  const t = useMessages(runMessages);
  const { errorCode, state } = asset.latestJob;
  if (errorCode === null) return null;
  return (
    <div className="notice notice-bad">
      <p>{state === 'failed' ? t('failedTitle') : t('waitsTitle')}</p>
      <p>
        <JobAdvice code={errorCode} />
      </p>
      <p className="notice-detail">
        <code>{errorCode}</code>
      </p>
      {state === 'awaiting_source_access' && (
        <Allowed role="editor" isQuiet>
          <AccessForm assetId={asset.assetId} />
        </Allowed>
      )}
    </div>
  );
}

/** Gives a file whose source denied access another address of the same file. */
function AccessForm({ assetId }: { assetId: string }): ReactElement {
  const t = useMessages(runMessages);
  const queries = useQueryClient();
  const [url, setUrl] = useState('');
  const give = useMutation({
    mutationFn: () =>
      answered(
        api.PUT('/api/content/v1/assets/{assetId}/source-access', { params: { path: { assetId } }, body: { url } }),
      ),
    onSuccess: async () => {
      toast(t('given'));
      await queries.invalidateQueries({ queryKey: ['asset', assetId] });
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        give.mutate();
      }}
    >
      <TextField
        label={t('address')}
        hint={t('addressHint')}
        type="url"
        required
        maxLength={4096}
        value={url}
        onChange={({ target }) => setUrl(target.value)}
      />
      {give.isError && <FailureNotice error={give.error} />}
      <div className="actions">
        <Button type="submit" isBusy={give.isPending}>
          {t('give')}
        </Button>
      </div>
    </form>
  );
}

/** Every run of a file, newest first; one that is under way can be cancelled. */
export function Runs({ asset }: { asset: Asset }): ReactElement {
  const t = useMessages(runMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const { assetId, latestJob } = asset;
  const list = useQuery({
    // The list follows the state of the file, which is looked at while it moves.
    queryKey: ['asset', assetId, 'jobs', latestJob.jobId, latestJob.state],
    queryFn: () => answered(api.GET('/api/content/v1/assets/{assetId}/jobs', { params: { path: { assetId } } })),
    placeholderData: (before) => before,
  });
  const cancel = useMutation({
    mutationFn: (jobId: string) =>
      answered(api.POST('/api/content/v1/jobs/{jobId}/cancel', { params: { path: { jobId } } })),
    onSuccess: async () => {
      toast(t('cancelDone'));
      await queries.invalidateQueries({ queryKey: ['asset', assetId] });
    },
  });
  return (
    <section className="card stack">
      <h2>{t('title')}</h2>
      {list.isPending && <Skeletons lines={2} />}
      {list.isError && <FailureNotice error={list.error} onRetry={() => void list.refetch()} />}
      {cancel.isError && <FailureNotice error={cancel.error} />}
      <ol className="stack">
        {(list.data?.items ?? []).map(
          ({ jobId, state, revision, attempt, errorCode, createdAt, updatedAt, retryAt }) => (
            <li key={jobId}>
              <p>
                <Badge tone={toneOf(state)}>{t(state)}</Badge> {t('revision', { revision })}
                {attempt > 1 && ` · ${t('attempts', { count: attempt })}`}
              </p>
              <p className="notice-detail">
                {format.time(createdAt)} – {finished.includes(state) ? format.time(updatedAt) : t('now')}
                {retryAt !== null && ` · ${t('again', { time: format.time(retryAt) })}`}
              </p>
              {errorCode !== null && (
                <p className="notice-detail">
                  <code>{errorCode}</code> · <JobAdvice code={errorCode} />
                </p>
              )}
              {jobId === latestJob.jobId && isMoving(asset) && state !== 'deleting' && (
                <Allowed role="editor" isQuiet>
                  <Button isBusy={cancel.isPending} onClick={() => cancel.mutate(jobId)}>
                    {t('cancel')}
                  </Button>
                </Allowed>
              )}
            </li>
          ),
        )}
      </ol>
    </section>
  );
}
