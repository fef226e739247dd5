import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Badge, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { BucketBadge } from '../buckets/bucket-state.tsx';
import { StateNotice } from '../buckets/state-notice.tsx';
import { videoMessages } from './messages.ts';
import { useLibrary, type Library } from './video-state.tsx';
import '../buckets/buckets.css';

const route = getRouteApi('/shell/libraries/$libraryId');

/** The frame of a library's pages. */
export function LibraryFrame(): ReactElement {
  const t = useMessages(videoMessages);
  const { libraryId } = route.useParams();
  const library = useLibrary(libraryId);
  if (library.isPending) return <Skeletons lines={8} />;
  if (library.isError) return <FailureNotice error={library.error} onRetry={() => void library.refetch()} />;
  const { name, region, state } = library.data;
  const active = { 'aria-current': 'page' } as const;
  return (
    <div className="page">
      <Link to="/libraries">{t('back')}</Link>
      <PageHead title={name} actions={<DeleteLibrary library={library.data} />} />
      <p className="actions">
        <BucketBadge bucket={library.data} />
        <Badge>{region}</Badge>
      </p>
      <StateNotice bucket={library.data} />
      {(state === 'active' || state === 'creating') && (
        <>
          <nav className="tabs" aria-label={t('tabs')}>
            <Link
              to="/libraries/$libraryId"
              params={{ libraryId }}
              activeOptions={{ exact: true, includeSearch: false }}
              activeProps={active}
            >
              {t('tabVideos')}
            </Link>
            <Link to="/libraries/$libraryId/settings" params={{ libraryId }} activeProps={active}>
              {t('tabSettings')}
            </Link>
            <Link to="/buckets/$bucketId/settings" params={{ bucketId: libraryId }}>
              {t('tabDelivery')}
            </Link>
          </nav>
          <Outlet />
        </>
      )}
    </div>
  );
}

function DeleteLibrary({ library }: { library: Library }): ReactElement | null {
  const t = useMessages(videoMessages);
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({
    mutationFn: () =>
      answered(api.DELETE('/api/content/v1/libraries/{libraryId}', { params: { path: { libraryId: library.id } } })),
    onSuccess: (removed) => {
      toast(t('removed', { name: library.name }));
      queries.setQueryData(['library', library.id], removed);
      return queries.invalidateQueries({ queryKey: ['libraries'] });
    },
    onSettled: () => setAsking(false),
  });
  if (library.state === 'deleted' || library.state === 'deleting') return null;
  return (
    <Allowed role="admin" isQuiet>
      <Button look="danger" icon="trash" onClick={() => setAsking(true)}>
        {t('remove')}
      </Button>
      {remove.isError && <FailureNotice error={remove.error} />}
      {isAsking && (
        <ConfirmDialog
          title={t('removeTitle', { name: library.name })}
          action={t('remove')}
          name={library.name}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{t('removeText')}</p>
        </ConfirmDialog>
      )}
    </Allowed>
  );
}
