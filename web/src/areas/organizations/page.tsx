import type { ReactElement } from 'react';
import { Allowed } from '../../app/allowed.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { PageHead } from '../../ui/states.tsx';
import { organizationMessages } from './messages.ts';
import { OwnOrganization } from './own-organization.tsx';
import { SubOrganizations } from './sub-organizations.tsx';

/** The account's own organization and its sub-organizations. */
export function OrganizationsPage(): ReactElement {
  const t = useMessages(organizationMessages);
  return (
    <div className="page">
      <PageHead title={t('title')}>{t('lead')}</PageHead>
      <Allowed role="admin">
        <OwnOrganization />
        <SubOrganizations />
      </Allowed>
    </div>
  );
}
