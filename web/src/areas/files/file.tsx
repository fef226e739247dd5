import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useCollections } from '../../api/collections.ts';
import { includesRole, useMe } from '../../api/me.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { FoundPassages } from '../viewer/found.tsx';
import { usePassages } from '../viewer/passages.ts';
import { Viewer } from '../viewer/viewer.tsx';
import { MetadataDialog, ReadersDialog } from './attributes.tsx';
import { fileMessages } from './messages.ts';
import { RunFailure, Runs } from './runs.tsx';
import { nextLook, StateBadge, type Asset } from './state.tsx';
import './files.css';

const route = getRouteApi('/shell/files/$assetId');

/** One file: its recording with the transcript, what is known of it, and what can be done with it. */
export function FilePage(): ReactElement {
  const t = useMessages(fileMessages);
  const { assetId } = route.useParams();
  const at = route.useSearch();
  const navigate = useNavigate();
  const found = usePassages(assetId, at);
  const mayChange = includesRole(useMe()?.role ?? 'reader', 'editor');
  const asset = useQuery({
    queryKey: ['asset', assetId],
    queryFn: () => answered(api.GET('/api/content/v1/assets/{assetId}', { params: { path: { assetId } } })),
    refetchInterval: ({ state }) => nextLook(state.data === undefined ? [] : [state.data], state.dataUpdateCount),
  });
  if (asset.isPending) return <Skeletons lines={8} />;
  if (asset.isError) return <FailureNotice error={asset.error} onRetry={() => void asset.refetch()} />;
  const { filename, activeRevision } = asset.data;
  return (
    <div className="page">
      <Link to="/files">{t('back')}</Link>
      <PageHead title={filename} actions={mayChange ? <Actions asset={asset.data} /> : undefined} />
      <RunFailure asset={asset.data} />
      <div className="file-columns">
        <Viewer
          asset={asset.data}
          at={at}
          passages={found.passages}
          onMove={(search) =>
            void navigate({ to: '/files/$assetId', params: { assetId }, search, replace: true, resetScroll: false })
          }
        />
        <div className="stack">
          {activeRevision !== null && (
            <FoundPassages
              key={at.q ?? ''}
              assetId={assetId}
              at={at}
              {...found}
              onSearch={(q) =>
                void navigate({
                  to: '/files/$assetId',
                  params: { assetId },
                  search: { ...(q !== '' && { q }), ...(at.as !== undefined && { as: at.as }) },
                  replace: true,
                  resetScroll: false,
                })
              }
            />
          )}
          <Facts asset={asset.data} />
          <Runs asset={asset.data} />
        </div>
      </div>
    </div>
  );
}

function Facts({ asset }: { asset: Asset }): ReactElement {
  const t = useMessages(fileMessages);
  const format = useFormat();
  const collections = useCollections();
  const nameOf = (id: string): string =>
    collections.data?.items.find(({ externalId }) => externalId === id)?.name ?? id;
  const metadata = Object.entries(asset.metadata);
  return (
    <section className="card stack">
      <h2>{t('facts')}</h2>
      <dl className="facts">
        <dt>{t('state')}</dt>
        <dd>
          <StateBadge asset={asset} />
        </dd>
        <dt>{t('kind')}</dt>
        <dd>{t(`kind_${asset.kind}`)}</dd>
        <dt>{t('language')}</dt>
        <dd>{asset.language === 'multi' ? t('language_multi') : format.language(asset.language)}</dd>
        <dt>{t('readers')}</dt>
        <dd>{t(asset.aclMode)}</dd>
        <dt>{t('collections')}</dt>
        <dd>{asset.collections.map(nameOf).join(', ') || '–'}</dd>
        <dt>{t('changed')}</dt>
        <dd>{format.time(asset.updatedAt)}</dd>
        <dt>{t('source')}</dt>
        <dd>{asset.sourceUrl}</dd>
        {metadata.map(([name, value]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{Array.isArray(value) ? value.join(', ') : String(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Actions({ asset }: { asset: Asset }): ReactElement {
  const t = useMessages(fileMessages);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [changed, setChanged] = useState<'metadata' | 'readers' | null>(null);
  const params = { path: { assetId: asset.assetId } };
  const reindex = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/content/v1/assets/{assetId}/reindex', {
          params: { ...params, header: { 'Idempotency-Key': crypto.randomUUID() } },
        }),
      ),
    onSuccess: () => {
      toast(t('reindexed'));
      return queries.invalidateQueries({ queryKey: ['asset', asset.assetId] });
    },
  });
  const remove = useMutation({
    mutationFn: () => answered(api.DELETE('/api/content/v1/assets/{assetId}', { params })),
    onSuccess: async () => {
      toast(t('removed', { name: asset.filename }));
      await queries.invalidateQueries({ queryKey: ['assets'] });
      await navigate({ to: '/files' });
    },
  });
  const failure = reindex.error ?? remove.error;
  return (
    <>
      <Button icon="refresh" isBusy={reindex.isPending} onClick={() => reindex.mutate()}>
        {t('reindex')}
      </Button>
      <Button onClick={() => setChanged('metadata')}>{t('metadata')}</Button>
      <Button onClick={() => setChanged('readers')}>{t('readers')}</Button>
      {changed === 'metadata' && <MetadataDialog asset={asset} onClose={() => setChanged(null)} />}
      {changed === 'readers' && <ReadersDialog asset={asset} onClose={() => setChanged(null)} />}
      <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
        {t('remove')}
      </Button>
      {failure !== null && <FailureNotice error={failure} />}
      {isAsking && (
        <ConfirmDialog
          title={t('removeTitle')}
          action={t('remove')}
          name={asset.filename}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          {t('removeText')}
        </ConfirmDialog>
      )}
    </>
  );
}
