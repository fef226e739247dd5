import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { useBucket, type Bucket } from '../buckets/bucket-state.tsx';
import { SignForm } from '../links/sign-form.tsx';
import type { StoredObject } from './entries.ts';
import { objectMessages } from './messages.ts';
import { MetadataDialog } from './metadata-dialog.tsx';
import './objects.css';

const route = getRouteApi('/shell/buckets/$bucketId/objects/$objectId');

/** One file of a bucket: its properties, its metadata, and links to it. */
export function ObjectPage(): ReactElement {
  const t = useMessages(objectMessages);
  const { bucketId, objectId } = route.useParams();
  const bucket = useBucket(bucketId).data;
  const object = useQuery({
    queryKey: ['object', objectId],
    queryFn: () => answered(api.GET('/api/content/v1/objects/{objectId}', { params: { path: { objectId } } })),
    refetchInterval: ({ state }) => (state.data?.checksumState === 'unverified' ? 2000 : false),
  });
  if (object.isPending || bucket === undefined) return <Skeletons lines={8} />;
  if (object.isError) return <FailureNotice error={object.error} onRetry={() => void object.refetch()} />;
  const { key, state } = object.data;
  const folder = key.slice(0, key.lastIndexOf('/') + 1);
  return (
    <div className="stack">
      <Link to="/buckets/$bucketId" params={{ bucketId }} search={folder === '' ? {} : { prefix: folder }}>
        {t('back')}
      </Link>
      <div className="page-head">
        <h2>{key}</h2>
        <div className="actions">
          <Allowed role="editor" isQuiet>
            <ObjectActions object={object.data} bucket={bucket} folder={folder} />
          </Allowed>
        </div>
      </div>
      {state === 'disabled' && <p className="notice notice-bad">{t('disabledText')}</p>}
      <div className="object-columns">
        <Properties object={object.data} />
        {state === 'stored' && <SignForm bucket={bucket} objectId={objectId} />}
      </div>
    </div>
  );
}

function Properties({ object }: { object: StoredObject }): ReactElement {
  const t = useMessages(objectMessages);
  const format = useFormat();
  const [isEditing, setEditing] = useState(false);
  const metadata = Object.entries(object.metadata);
  return (
    <section className="card stack">
      <h2>{t('facts')}</h2>
      <dl className="facts">
        <dt>{t('size')}</dt>
        <dd className="numeric">{format.bytes(object.size)}</dd>
        <dt>{t('type')}</dt>
        <dd>{object.contentType}</dd>
        <dt>{t('checksum')}</dt>
        <dd>{t(`checksum_${object.checksumState}`)}</dd>
        {object.sha256 !== null && (
          <>
            <dt>{t('sha256')}</dt>
            <dd>
              <code>{object.sha256}</code>
            </dd>
          </>
        )}
        <dt>{t('etag')}</dt>
        <dd>
          <code>{object.etag}</code>
        </dd>
        <dt>{t('created')}</dt>
        <dd>{format.time(object.createdAt)}</dd>
        <dt>{t('changed')}</dt>
        <dd>{format.time(object.updatedAt)}</dd>
        <dt>{t('via')}</dt>
        <dd>{t(`via_${object.createdVia}`)}</dd>
        {object.url !== undefined && (
          <>
            <dt>{t('address')}</dt>
            <dd>
              <a href={object.url} target="_blank" rel="noreferrer">
                {object.url}
              </a>
            </dd>
          </>
        )}
      </dl>
      <h3>{t('metadata')}</h3>
      {metadata.length === 0 ? (
        <p className="muted">{t('none')}</p>
      ) : (
        <dl className="facts">
          {metadata.flatMap(([name, value]) => [
            <dt key={`${name} name`}>{name}</dt>,
            <dd key={name}>{String(value)}</dd>,
          ])}
        </dl>
      )}
      <Allowed role="editor" isQuiet>
        <div className="actions">
          <Button icon="pen" onClick={() => setEditing(true)}>
            {t('edit')}
          </Button>
        </div>
      </Allowed>
      {isEditing && <MetadataDialog object={object} onClose={() => setEditing(false)} />}
    </section>
  );
}

function ObjectActions({
  object,
  bucket,
  folder,
}: {
  object: StoredObject;
  bucket: Bucket;
  folder: string;
}): ReactElement {
  const t = useMessages(objectMessages);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const purge = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/content/v1/buckets/{bucketId}/purges', {
          params: { path: { bucketId: bucket.id } },
          body: {
            urls: [`https://${bucket.defaultHostname}/${object.key.split('/').map(encodeURIComponent).join('/')}`],
          },
        }),
      ),
    onSuccess: () => toast(t('purged')),
  });
  const remove = useMutation({
    mutationFn: () =>
      answered(api.DELETE('/api/content/v1/objects/{objectId}', { params: { path: { objectId: object.id } } })),
    onSuccess: async () => {
      toast(t('removed', { name: object.key }));
      await queries.invalidateQueries({ queryKey: ['objects', bucket.id] });
      await queries.invalidateQueries({ queryKey: ['bucket', bucket.id] });
      await navigate({
        to: '/buckets/$bucketId',
        params: { bucketId: bucket.id },
        search: folder === '' ? {} : { prefix: folder },
      });
    },
  });
  const failure = purge.error ?? remove.error;
  return (
    <>
      <Button icon="refresh" isBusy={purge.isPending} onClick={() => purge.mutate()}>
        {t('purge')}
      </Button>
      <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
        {t('remove')}
      </Button>
      {failure !== null && <FailureNotice error={failure} />}
      {isAsking && (
        <ConfirmDialog
          title={t('removeTitle')}
          action={t('remove')}
          name={object.key}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(undefined, { onError: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p>{t('removeText')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
