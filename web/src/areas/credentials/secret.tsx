import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useAccount, useRegions } from './account-card.tsx';
import { accountSas, blobSettings, s3Settings, type ClientSettings } from './client-settings.ts';
import { credentialMessages } from './messages.ts';

type NewCredential = components['schemas']['NewStorageCredential'];

/** A new secret, shown once, with configurations of clients to paste. */
export function SecretDialog({
  credential,
  onClose,
}: {
  credential: NewCredential;
  onClose: () => void;
}): ReactElement {
  const t = useMessages(credentialMessages);
  const [client, setClient] = useState('');
  const settings = useSettings(credential);
  const chosen = settings.find((each) => each.client === client) ?? settings[0];
  return (
    <Dialog title={credential.name} onClose={onClose} isWide>
      {credential.accessKeyId !== null && <CopyField label={t('accessKeyId')} value={credential.accessKeyId} />}
      <CopyField label={t('secret')} hint={t('secretHint')} value={credential.secret} />
      {chosen !== undefined && (
        <>
          <SelectField
            label={t('settingsFor')}
            value={chosen.client}
            options={settings.map((each) => [each.client, each.client])}
            onChange={({ target }) => setClient(target.value)}
          />
          <CopyField
            key={chosen.client}
            label={t('paste', {
              client: chosen.client,
              place: chosen.place === 'shell' ? t('shell') : chosen.place,
            })}
            value={chosen.text}
            isLong
            {...(chosen.text.includes('sig=') && { hint: t('sasText') })}
          />
        </>
      )}
      <div className="dialog-actions">
        <Button look="primary" onClick={onClose}>
          {t('done')}
        </Button>
      </div>
    </Dialog>
  );
}

function useSettings({ kind, accessKeyId, secret, permissions }: NewCredential): readonly ClientSettings[] {
  const [region] = useRegions();
  const account = useAccount().data ?? null;
  const settings = useQuery({
    // The secret itself stays out of the cache's keys.
    queryKey: ['client-settings', accessKeyId, account?.name, region?.code, secret.slice(-4)],
    gcTime: 0,
    queryFn: async (): Promise<readonly ClientSettings[]> => {
      if (kind === 's3')
        return region === undefined || accessKeyId === null
          ? []
          : s3Settings({ endpoint: region.endpoints.s3, region: region.code, accessKeyId, secret });
      if (account === null) return [];
      const access = { endpoint: account.blobEndpoint, account: account.name, secret, permissions };
      return blobSettings(access, await accountSas(access, new Date()));
    },
  });
  return settings.data ?? [];
}
