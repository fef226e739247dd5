import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { useBucket, type Bucket } from '../buckets/bucket-state.tsx';
import { linkMessages } from './messages.ts';
import { SignForm } from './sign-form.tsx';

const route = getRouteApi('/shell/buckets/$bucketId');

/** Links of a bucket, and what programs need to sign them. */
export function LinksPage(): ReactElement | null {
  const { bucketId } = route.useParams();
  const bucket = useBucket(bucketId).data;
  if (bucket?.state !== 'active') return null;
  return (
    <div className="object-columns">
      <SignForm bucket={bucket} />
      <Allowed role="editor" isQuiet>
        <SigningProfile bucket={bucket} />
      </Allowed>
    </div>
  );
}

function SigningProfile({ bucket }: { bucket: Bucket }): ReactElement {
  const t = useMessages(linkMessages);
  const queries = useQueryClient();
  const [isShown, setShown] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const given = { params: { path: { bucketId: bucket.id } } };
  const queryKey = ['signing-profile', bucket.id];
  const profile = useQuery({
    queryKey,
    queryFn: () => answered(api.GET('/api/content/v1/buckets/{bucketId}/signing-profile', given)),
  });
  const rotate = useMutation({
    mutationFn: () => answered(api.POST('/api/content/v1/buckets/{bucketId}/signing-key/rotate', given)),
    onSuccess: () => toast(t('rotated')),
    // A rotation that was answered with an error may have changed the key.
    onSettled: () => {
      setAsking(false);
      return queries.invalidateQueries({ queryKey });
    },
  });
  if (profile.isPending) return <Skeletons />;
  if (profile.isError) return <FailureNotice error={profile.error} onRetry={() => void profile.refetch()} />;
  const { scheme, directoryScheme, keyId, key, hostnames } = profile.data;
  return (
    <section className="card stack">
      <h2>{t('profile')}</h2>
      <p className="muted">{t('profileText')}</p>
      <dl className="facts">
        <dt>{t('scheme')}</dt>
        <dd>{scheme}</dd>
        {directoryScheme !== null && (
          <>
            <dt>{t('directoryScheme')}</dt>
            <dd>{directoryScheme}</dd>
          </>
        )}
        <dt>{t('keyId')}</dt>
        <dd>
          <code>{keyId}</code>
        </dd>
        <dt>{t('hostnames')}</dt>
        <dd>{hostnames.join(', ')}</dd>
      </dl>
      {isShown ? (
        <CopyField key={key} label={t('signingKey')} value={key} />
      ) : (
        <div className="actions">
          <Button icon="eye" onClick={() => setShown(true)}>
            {t('showKey')}
          </Button>
        </div>
      )}
      <Allowed role="admin" isQuiet>
        {rotate.isError && <FailureNotice error={rotate.error} />}
        <div className="actions">
          <Button look="danger" icon="refresh" onClick={() => setAsking(true)}>
            {t('rotate')}
          </Button>
        </div>
        {isAsking && (
          <ConfirmDialog
            title={t('rotateTitle', { name: bucket.name })}
            action={t('rotate')}
            name={bucket.name}
            isBusy={rotate.isPending}
            onConfirm={() => rotate.mutate()}
            onClose={() => setAsking(false)}
          >
            <p>{t('rotateText')}</p>
          </ConfirmDialog>
        )}
      </Allowed>
    </section>
  );
}
