import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextArea } from '../../ui/field.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { uiMessages } from '../../ui/messages.ts';
import { metadataOf, textOfMetadata } from './metadata.ts';
import { fileMessages } from './messages.ts';
import type { Asset } from './state.tsx';

interface Props {
  asset: Asset;
  onClose: () => void;
}

/** Changes what is known of a file beside its content. */
export function MetadataDialog({ asset, onClose }: Props): ReactElement {
  const t = useMessages(fileMessages);
  const queries = useQueryClient();
  const { assetId } = asset;
  const [text, setText] = useState(() => textOfMetadata(asset.metadata));
  const save = useMutation({
    mutationFn: () =>
      answered(
        api.PUT('/api/content/v1/assets/{assetId}/metadata', {
          params: { path: { assetId } },
          body: { metadata: metadataOf(text) },
        }),
      ),
    onSuccess: async () => {
      toast(t('saved'));
      await queries.invalidateQueries({ queryKey: ['asset', assetId] });
      onClose();
    },
  });
  return (
    <Dialog title={t('metadata')} onClose={onClose}>
      <SaveForm isBusy={save.isPending} onSave={() => save.mutate()} onClose={onClose} error={save.error}>
        <TextArea
          label={t('metadata')}
          hint={t('metadataHint')}
          rows={8}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </SaveForm>
    </Dialog>
  );
}

/** Changes who finds a file. */
export function ReadersDialog({ asset, onClose }: Props): ReactElement {
  const t = useMessages(fileMessages);
  const queries = useQueryClient();
  const params = { path: { assetId: asset.assetId } };
  const [mode, setMode] = useState<Asset['aclMode']>(asset.aclMode);
  const [typed, setTyped] = useState<string | null>(null);
  const present = useQuery({
    queryKey: ['asset', asset.assetId, 'permissions'],
    queryFn: () => answered(api.GET('/api/content/v1/assets/{assetId}/permissions', { params })),
  });
  const text = typed ?? present.data?.principals.join('\n') ?? '';
  const principals = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const save = useMutation({
    mutationFn: () =>
      answered(
        api.PUT('/api/content/v1/assets/{assetId}/permissions', {
          params,
          body: mode === 'open' ? { mode } : { mode, principals },
        }),
      ),
    onSuccess: async () => {
      toast(t('saved'));
      await queries.invalidateQueries({ queryKey: ['asset', asset.assetId] });
      onClose();
    },
  });
  return (
    <Dialog title={t('readers')} onClose={onClose}>
      {present.isPending && <Skeletons />}
      {present.isError && <FailureNotice error={present.error} />}
      {present.isSuccess && (
        <SaveForm isBusy={save.isPending} onSave={() => save.mutate()} onClose={onClose} error={save.error}>
          <SelectField
            label={t('readers')}
            value={mode}
            options={[
              ['open', t('open')],
              ['restricted', t('restricted')],
            ]}
            onChange={({ target }) => setMode(target.value === 'open' ? 'open' : 'restricted')}
          />
          {mode === 'restricted' && (
            <TextArea
              label={t('principals')}
              hint={t('principalsHint')}
              rows={6}
              value={text}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </SaveForm>
      )}
    </Dialog>
  );
}

function SaveForm({
  children,
  isBusy,
  error,
  onSave,
  onClose,
}: {
  children: React.ReactNode;
  isBusy: boolean;
  error: unknown;
  onSave: () => void;
  onClose: () => void;
}): ReactElement {
  const t = useMessages(fileMessages);
  const u = useMessages(uiMessages);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSave();
      }}
    >
      {children}
      {error !== null && <FailureNotice error={error} />}
      <div className="dialog-actions">
        <Button onClick={onClose}>{u('cancel')}</Button>
        <Button type="submit" look="primary" isBusy={isBusy}>
          {t('save')}
        </Button>
      </div>
    </form>
  );
}
