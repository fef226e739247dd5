import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { SelectField, TextArea } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { purgeMessages } from './messages.ts';

type Scope = components['schemas']['Purge']['scope'];
const scopes: readonly Scope[] = ['urls', 'prefixes', 'all'];

/** Asks what to purge, and starts it. */
export function PurgeDialog({ bucketId, onClose }: { bucketId: string; onClose: () => void }): ReactElement {
  const t = useMessages(purgeMessages);
  const queries = useQueryClient();
  const [scope, setScope] = useState<Scope>('prefixes');
  const [text, setText] = useState('');
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const start = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/content/v1/buckets/{bucketId}/purges', {
          params: { path: { bucketId } },
          body: scope === 'all' ? { all: true } : { [scope]: lines },
        }),
      ),
    onSuccess: async () => {
      toast(t('started'));
      await queries.invalidateQueries({ queryKey: ['purges', bucketId] });
      onClose();
    },
  });
  return (
    <Dialog title={t('start')} onClose={onClose}>
      <DialogForm
        submit={t('start')}
        isBusy={start.isPending}
        error={start.error}
        onSubmit={() => start.mutate()}
        onClose={onClose}
      >
        <SelectField
          label={t('scope')}
          value={scope}
          options={scopes.map((name) => [name, t(name)])}
          onChange={({ target }) => setScope(scopes.find((name) => name === target.value) ?? 'prefixes')}
        />
        {scope === 'all' ? (
          <p>{t('allText')}</p>
        ) : (
          <TextArea
            label={t(scope)}
            hint={t(scope === 'urls' ? 'urlsHint' : 'prefixesHint')}
            required
            spellCheck={false}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </DialogForm>
    </Dialog>
  );
}
