import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { useAccount } from './account-card.tsx';
import { credentialMessages } from './messages.ts';

type Credential = components['schemas']['StorageCredential'];
/** What a new credential is made of. */
export type CredentialFields = Pick<Credential, 'name' | 'kind' | 'permissions' | 'bucketIds' | 'expiresAt'>;

const all: readonly Credential['permissions'][number][] = ['read', 'write', 'delete', 'manage'];

interface Props {
  error: Error | null;
  isBusy: boolean;
  onCreate: (fields: CredentialFields) => void;
  onClose: () => void;
}

/** Asks what a new credential is for and what it may do. */
export function CreateCredential({ error, isBusy, onCreate, onClose }: Props): ReactElement {
  const t = useMessages(credentialMessages);
  const format = useFormat();
  const account = useAccount();
  const buckets = useQuery({ queryKey: ['buckets'], queryFn: () => answered(api.GET('/api/content/v1/buckets')) });
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Credential['kind']>('s3');
  const [permissions, setPermissions] = useState<Credential['permissions']>(['read']);
  const [bucketIds, setBucketIds] = useState<string[] | null>(null);
  const [expires, setExpires] = useState('');
  const toggled = <T,>(list: readonly T[], entry: T, isIn: boolean): T[] => [
    ...list.filter((each) => each !== entry),
    ...(isIn ? [entry] : []),
  ];
  return (
    <Dialog title={t('create')} onClose={onClose}>
      <DialogForm
        submit={t('create')}
        isBusy={isBusy}
        error={error}
        onSubmit={() => {
          const expiresAt = expires === '' ? null : format.instant(expires);
          onCreate({ name, kind, permissions, bucketIds, expiresAt });
        }}
        onClose={onClose}
      >
        <TextField
          label={t('name')}
          hint={t('nameHint')}
          required
          maxLength={100}
          autoFocus
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <SelectField
          label={t('kind')}
          value={kind}
          options={[
            ['s3', t('s3')],
            ['azure', t('azure')],
          ]}
          {...(kind === 'azure' && account.data === null && { fault: t('accountNeeded') })}
          onChange={({ target }) => setKind(target.value === 'azure' ? 'azure' : 's3')}
        />
        <fieldset className="fieldset checks">
          <legend>{t('permissions')}</legend>
          {all.map((permission) => (
            <CheckField
              key={permission}
              label={t(permission)}
              checked={permissions.includes(permission)}
              disabled={permission === 'manage' && bucketIds !== null}
              onChange={({ target }) => setPermissions(toggled(permissions, permission, target.checked))}
            />
          ))}
        </fieldset>
        <SelectField
          label={t('buckets')}
          value={bucketIds === null ? 'every' : 'some'}
          options={[
            ['every', t('everyBucket')],
            ['some', t('someBuckets')],
          ]}
          onChange={({ target }) => {
            setBucketIds(target.value === 'some' ? [] : null);
            setPermissions(permissions.filter((permission) => permission !== 'manage'));
          }}
        />
        {bucketIds !== null && (
          <fieldset className="fieldset checks">
            <legend>{t('someBuckets')}</legend>
            {(buckets.data?.items ?? []).map(({ id, name: shown }) => (
              <CheckField
                key={id}
                label={shown}
                checked={bucketIds.includes(id)}
                onChange={({ target }) => setBucketIds(toggled(bucketIds, id, target.checked))}
              />
            ))}
          </fieldset>
        )}
        <TextField
          label={t('expires')}
          hint={t('expiresHint')}
          type="datetime-local"
          value={expires}
          onChange={({ target }) => setExpires(target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
