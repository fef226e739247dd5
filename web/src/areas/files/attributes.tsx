import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { SelectField, TextArea } from '../../ui/field.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
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
      <DialogForm isBusy={save.isPending} error={save.error} onSubmit={() => save.mutate()} onClose={onClose}>
        <TextArea
          label={t('metadata')}
          hint={t('metadataHint')}
          rows={8}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </DialogForm>
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
        <DialogForm isBusy={save.isPending} error={save.error} onSubmit={() => save.mutate()} onClose={onClose}>
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
        </DialogForm>
      )}
    </Dialog>
  );
}
