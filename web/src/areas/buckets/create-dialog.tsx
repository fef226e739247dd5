import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { SelectField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import type { Bucket } from './bucket-state.tsx';
import { bucketMessages } from './messages.ts';
import { emptyPlace, PlaceFields } from './place-fields.tsx';

/** Creates a bucket and opens it. */
export function CreateDialog({ onClose }: { onClose: () => void }): ReactElement {
  const t = useMessages(bucketMessages);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [place, setPlace] = useState(emptyPlace);
  const [visibility, setVisibility] = useState<Bucket['visibility']>('private');
  const create = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/content/v1/buckets', {
          params: { header: { 'Idempotency-Key': crypto.randomUUID() } },
          body: { ...place, visibility },
        }),
      ),
    onSuccess: async ({ id, name }) => {
      toast(t('created', { name }));
      await queries.invalidateQueries({ queryKey: ['buckets'] });
      await navigate({ to: '/buckets/$bucketId', params: { bucketId: id } });
    },
  });
  return (
    <Dialog title={t('create')} onClose={onClose}>
      <DialogForm
        submit={t('create')}
        isBusy={create.isPending}
        error={create.error}
        onSubmit={() => create.mutate()}
        onClose={onClose}
      >
        <PlaceFields place={place} onChange={setPlace} />
        <SelectField
          label={t('visibility')}
          value={visibility}
          options={[
            ['private', t('private')],
            ['public', t('public')],
          ]}
          onChange={({ target }) => setVisibility(target.value === 'public' ? 'public' : 'private')}
        />
      </DialogForm>
    </Dialog>
  );
}
