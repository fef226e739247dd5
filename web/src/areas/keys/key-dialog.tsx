import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { keyMessages } from './messages.ts';

type Key = components['schemas']['ApiKey'];

/** For how long the former key can work on, in seconds. */
const overlaps = { none: 0, hour: 3600, day: 86_400, week: 7 * 86_400 } as const;
type Overlap = keyof typeof overlaps;

/** Creates a key, or rotates one, and shows it once. */
export function KeyDialog({ rotates, onClose }: { rotates?: Key; onClose: () => void }): ReactElement {
  const t = useMessages(keyMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const [label, setLabel] = useState('');
  const [scope, setScope] = useState<Key['scope']>('standard');
  const [expires, setExpires] = useState('');
  const [overlap, setOverlap] = useState<Overlap>('day');
  const make = useMutation({
    mutationFn: () =>
      rotates === undefined
        ? answered(
            api.POST('/api/dashboard/api-keys', {
              body: { label, scope, expiresAt: expires === '' ? null : format.instant(expires) },
            }),
          )
        : answered(
            api.POST('/api/dashboard/api-keys/{keyId}/rotate', {
              params: { path: { keyId: rotates.id } },
              body: { overlapSeconds: overlaps[overlap] },
            }),
          ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['api-keys'] }),
  });
  if (make.isSuccess)
    return (
      <Dialog title={make.data.label} onClose={onClose}>
        <CopyField label={t('shown')} hint={t('shownHint')} value={make.data.key} />
        <div className="dialog-actions">
          <Button look="primary" onClick={onClose}>
            {t('done')}
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={rotates === undefined ? t('create') : `${t('rotate')}: ${rotates.label}`} onClose={onClose}>
      <DialogForm
        submit={rotates === undefined ? t('create') : t('rotate')}
        isBusy={make.isPending}
        error={make.error}
        onSubmit={() => make.mutate()}
        onClose={onClose}
      >
        {rotates === undefined ? (
          <>
            <TextField
              label={t('label')}
              hint={t('labelHint')}
              required
              maxLength={200}
              autoFocus
              value={label}
              onChange={({ target }) => setLabel(target.value)}
            />
            <SelectField
              label={t('scope')}
              value={scope}
              options={[
                ['standard', t('standard')],
                ['admin', t('admin')],
              ]}
              onChange={({ target }) => setScope(target.value === 'admin' ? 'admin' : 'standard')}
            />
            <TextField
              label={t('expires')}
              hint={t('expiresHint')}
              type="datetime-local"
              value={expires}
              onChange={({ target }) => setExpires(target.value)}
            />
          </>
        ) : (
          <>
            <p>{t('rotateText')}</p>
            <SelectField
              label={t('overlapFor')}
              value={overlap}
              options={(['none', 'hour', 'day', 'week'] as const).map((name) => [name, t(name)])}
              onChange={({ target }) => setOverlap(target.value as Overlap)}
            />
          </>
        )}
      </DialogForm>
    </Dialog>
  );
}
