import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { paths } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { TextArea } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import type { StoredObject } from './entries.ts';
import { objectMessages } from './messages.ts';

type Metadata = NonNullable<
  NonNullable<
    paths['/api/content/v1/objects/{objectId}']['patch']['requestBody']
  >['content']['application/json']['metadata']
>;

/** The JSON object of a text, or null. What its values may be is checked by the API. */
function objectOf(text: string): Metadata | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null && !Array.isArray(found) ? { ...found } : null;
  } catch {
    return null;
  }
}

/** Replaces the metadata of a file. */
export function MetadataDialog({ object, onClose }: { object: StoredObject; onClose: () => void }): ReactElement {
  const t = useMessages(objectMessages);
  const queries = useQueryClient();
  const [text, setText] = useState(() => JSON.stringify(object.metadata, null, 2));
  const metadata = objectOf(text);
  const save = useMutation({
    mutationFn: (changed: Metadata) =>
      answered(
        api.PATCH('/api/content/v1/objects/{objectId}', {
          params: { path: { objectId: object.id } },
          body: { metadata: changed },
        }),
      ),
    onSuccess: (changed) => {
      toast(t('metadataSaved'));
      queries.setQueryData(['object', object.id], changed);
      onClose();
    },
  });
  return (
    <Dialog title={t('edit')} onClose={onClose}>
      <DialogForm
        isBusy={save.isPending}
        isDisabled={metadata === null}
        error={save.error}
        onSubmit={() => {
          if (metadata !== null) save.mutate(metadata);
        }}
        onClose={onClose}
      >
        <TextArea
          label={t('metadata')}
          hint={t('metadataHint')}
          fault={metadata === null ? t('metadataInvalid') : null}
          rows={10}
          spellCheck={false}
          autoFocus
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
