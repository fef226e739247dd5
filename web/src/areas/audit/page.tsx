import { useState, type ReactElement } from 'react';
import { Allowed } from '../../app/allowed.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { SelectField } from '../../ui/field.tsx';
import { PageHead } from '../../ui/states.tsx';
import { AccountAudit } from './account-audit.tsx';
import { auditMessages } from './messages.ts';
import { StorageAudit } from './storage-audit.tsx';

/** The audits of the account and of the storage of the organization. */
export function AuditPage(): ReactElement {
  const t = useMessages(auditMessages);
  const [isOfStorage, setOfStorage] = useState(false);
  return (
    <div className="page">
      <PageHead title={t('title')}>{t('lead')}</PageHead>
      <Allowed role="admin">
        <SelectField
          label={t('which')}
          value={isOfStorage ? 'storage' : 'account'}
          options={[
            ['account', t('account')],
            ['storage', t('storage')],
          ]}
          onChange={({ target }) => setOfStorage(target.value === 'storage')}
        />
        {isOfStorage ? <StorageAudit /> : <AccountAudit />}
      </Allowed>
    </div>
  );
}
