import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { fileMessages } from '../files/messages.ts';
import { metadataOf, textOfMetadata } from '../files/metadata.ts';
import { collectionMessages } from './messages.ts';

/** A collection as the API shows it. */
export type Collection = components['schemas']['Collection'];

/** An id from a name: what the API takes of it, in lower case, joined with hyphens. */
function idOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_.~-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 512);
}

/** Makes a collection, or changes the name and metadata of one. */
export function CollectionDialog({
  collection,
  taken,
  onClose,
}: {
  collection?: Collection;
  /** Ids of the collections that are there: a new one must not replace one of them. */
  taken: ReadonlySet<string>;
  onClose: () => void;
}): ReactElement {
  const t = useMessages(collectionMessages);
  const files = useMessages(fileMessages);
  const queries = useQueryClient();
  const [name, setName] = useState(collection?.name ?? '');
  const [typedId, setTypedId] = useState<string | null>(null);
  const [metadata, setMetadata] = useState(() => textOfMetadata(collection?.metadata ?? {}));
  const externalId = collection?.externalId ?? typedId ?? idOf(name);
  const isTaken = collection === undefined && taken.has(externalId);
  const save = useMutation({
    mutationFn: () =>
      answered(
        api.PUT('/api/content/v1/collections/{externalId}', {
          params: { path: { externalId } },
          body: { externalId, name: name.trim(), metadata: metadataOf(metadata) },
        }),
      ),
    onSuccess: async (saved) => {
      toast(t('saved', { name: saved.name }));
      await queries.invalidateQueries({ queryKey: ['collections'] });
      onClose();
    },
  });
  return (
    <Dialog title={collection === undefined ? t('create') : t('edit', { name: collection.name })} onClose={onClose}>
      <DialogForm
        isBusy={save.isPending}
        isDisabled={externalId === '' || isTaken}
        error={save.error}
        onSubmit={() => save.mutate()}
        onClose={onClose}
      >
        <TextField
          label={t('name')}
          required
          autoFocus
          maxLength={512}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        {collection === undefined && (
          <TextField
            label={t('id')}
            hint={t('idHint')}
            required
            maxLength={512}
            pattern="[A-Za-z0-9_.~\-]+"
            spellCheck={false}
            value={externalId}
            fault={isTaken ? t('idTaken') : null}
            onChange={({ target }) => setTypedId(target.value)}
          />
        )}
        <TextArea
          label={t('metadata')}
          hint={files('metadataHint')}
          rows={4}
          value={metadata}
          onChange={({ target }) => setMetadata(target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
