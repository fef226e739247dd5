import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { Allowed } from '../../app/allowed.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { FailureNotice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { ValueDialog } from '../../ui/value-dialog.tsx';
import { videoMessages } from './messages.ts';
import type { Video } from './video-state.tsx';

/** What can be done with a video. */
export function VideoActions({ video }: { video: Video }): ReactElement {
  const t = useMessages(videoMessages);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'none' | 'rename' | 'reencode' | 'remove'>('none');
  const close = (): void => setOpen('none');
  const params = { path: { videoId: video.id } };
  const reencode = useMutation({
    mutationFn: () => answered(api.POST('/api/content/v1/videos/{videoId}/reencode', { params })),
    onSuccess: (changed) => {
      toast(t('reencoded'));
      queries.setQueryData(['video', video.id], changed);
    },
    onSettled: close,
  });
  const remove = useMutation({
    mutationFn: () => answered(api.DELETE('/api/content/v1/videos/{videoId}', { params })),
    onSuccess: async () => {
      toast(t('videoRemoved', { name: video.title }));
      await queries.invalidateQueries({ queryKey: ['videos', video.libraryId] });
      await navigate({ to: '/libraries/$libraryId', params: { libraryId: video.libraryId } });
    },
    onError: close,
  });
  const failure = reencode.error ?? remove.error;
  return (
    <>
      <Allowed role="editor" isQuiet>
        <Button icon="pen" onClick={() => setOpen('rename')}>
          {t('rename')}
        </Button>
      </Allowed>
      {video.status === 'ready' && video.originalKept && !video.disabled && (
        <Allowed role="admin" isQuiet>
          <Button icon="refresh" onClick={() => setOpen('reencode')}>
            {t('reencode')}
          </Button>
        </Allowed>
      )}
      <Allowed role="editor" isQuiet>
        <Button look="danger" icon="trash" onClick={() => setOpen('remove')}>
          {t('removeVideo')}
        </Button>
      </Allowed>
      {failure !== null && <FailureNotice error={failure} />}
      {open === 'rename' && (
        <ValueDialog
          title={t('rename')}
          input={{ kind: 'text' }}
          value={video.title}
          onSave={async (title) => {
            const body = title === null ? {} : { title };
            const changed = await answered(api.PATCH('/api/content/v1/videos/{videoId}', { params, body }));
            toast(t('renamed'));
            queries.setQueryData(['video', video.id], changed);
            await queries.invalidateQueries({ queryKey: ['videos', video.libraryId] });
          }}
          onClose={close}
        />
      )}
      {open === 'reencode' && (
        <ConfirmDialog
          title={t('reencodeTitle', { name: video.title })}
          action={t('reencode')}
          isBusy={reencode.isPending}
          onConfirm={() => reencode.mutate()}
          onClose={close}
        >
          <p>{t('reencodeText')}</p>
        </ConfirmDialog>
      )}
      {open === 'remove' && (
        <ConfirmDialog
          title={t('removeVideoTitle')}
          action={t('removeVideo')}
          name={video.title}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <p>{t('removeVideoText')}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
