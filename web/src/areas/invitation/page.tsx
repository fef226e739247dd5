import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { session } from '../../api/session.ts';
import { Logo } from '../../app/logo.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { EmptyState, FailureNotice, Skeletons } from '../../ui/states.tsx';
import '../sign-in/sign-in.css';
import { invitationMessages } from './messages.ts';

/** Accepts an invitation, whose token is in the fragment of the address. */
export function InvitationPage(): ReactElement {
  const t = useMessages(invitationMessages);
  const router = useRouter();
  const [token] = useState(() => window.location.hash.slice(1));
  const [password, setPassword] = useState('');
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => answered(api.POST('/api/dashboard/invitation', { body: { token } })),
    staleTime: Infinity,
  });
  const accept = useMutation({
    mutationFn: () => answered(api.POST('/api/dashboard/invitation/acceptance', { body: { token, password } })),
    onSuccess: (begun) => {
      session.begin({ ...begun, ownOrganizationId: begun.organizationId });
      router.history.replace('/');
    },
  });
  return (
    <main className="sign-in">
      <div className="sign-in-side">
        <Logo />
      </div>
      <div className="sign-in-form">
        {invitation.isPending && <Skeletons />}
        {invitation.isError && <EmptyState title={t('gone')}>{t('goneText')}</EmptyState>}
        {invitation.data !== undefined && (
          <form
            className="stack"
            onSubmit={(event) => {
              event.preventDefault();
              if (!accept.isPending) accept.mutate();
            }}
          >
            <h1>{t('title', { organization: invitation.data.organization })}</h1>
            <p>{t('text', { email: invitation.data.email })}</p>
            <input type="hidden" name="username" autoComplete="username" value={invitation.data.email} readOnly />
            <TextField
              label={t('password')}
              hint={t('hint')}
              type="password"
              autoComplete="new-password"
              required
              minLength={12}
              autoFocus
              value={password}
              onChange={({ target }) => setPassword(target.value)}
            />
            {accept.isError && <FailureNotice error={accept.error} />}
            <Button type="submit" look="primary" isBusy={accept.isPending}>
              {t('submit')}
            </Button>
          </form>
        )}
      </div>
    </main>
  );
}
