import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { peopleMessages } from '../people/messages.ts';
import { profileMessages } from './messages.ts';
import { PasswordForm } from './password-form.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

/** The person who is signed in: password, second factor, sessions. */
export function ProfilePage(): ReactElement {
  const t = useMessages(profileMessages);
  const names = useMessages(peopleMessages);
  const profile = useQuery({ queryKey: ['profile'], queryFn: () => answered(api.GET('/api/dashboard/profile')) });
  return (
    <div className="page">
      <PageHead title={t('title')} />
      {profile.isPending && <Skeletons />}
      {profile.isError && <FailureNotice error={profile.error} onRetry={() => void profile.refetch()} />}
      {profile.data !== undefined && (
        <>
          <dl className="facts card">
            <dt>{t('email')}</dt>
            <dd>{profile.data.email}</dd>
            <dt>{t('role')}</dt>
            <dd>
              {names(profile.data.role)}: {names(`${profile.data.role}Text`)}
            </dd>
            <dt>{t('organization')}</dt>
            <dd>{profile.data.organizationName}</dd>
            <dt>{t('timeZone')}</dt>
            <dd>{profile.data.timeZone}</dd>
          </dl>
          <SecondFactor isOn={profile.data.secondFactor} codesLeft={profile.data.recoveryCodesLeft} />
          <PasswordForm email={profile.data.email} />
          <Sessions />
        </>
      )}
    </div>
  );
}
