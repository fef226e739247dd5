import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { includesRole, roles, useMe, type Role } from '../../api/me.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { uiMessages } from '../../ui/messages.ts';
import { FailureNotice } from '../../ui/states.tsx';
import { peopleMessages } from './messages.ts';

/** Invites a person and shows the link, once. */
export function InviteDialog({ onClose }: { onClose: () => void }): ReactElement {
  const t = useMessages(peopleMessages);
  const common = useMessages(uiMessages);
  const me = useMe();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('reader');
  const invite = useMutation({
    mutationFn: () => answered(api.POST('/api/dashboard/invitations', { body: { email: email.trim(), role } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['invitations'] }),
  });
  if (invite.isSuccess) {
    // The token is in the fragment, which browsers send to nobody.
    const link = `${window.location.origin}/invitation#${invite.data.token}`;
    return (
      <Dialog title={t('link')} onClose={onClose}>
        <CopyField label={t('link')} value={link} hint={t('linkHint', { email: invite.data.email })} />
        <div className="dialog-actions">
          <Button look="primary" onClick={onClose}>
            {t('done')}
          </Button>
        </div>
      </Dialog>
    );
  }
  const given = roles.filter((name) => includesRole(me?.role ?? 'reader', name));
  return (
    <Dialog title={t('invite')} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!invite.isPending) invite.mutate();
        }}
      >
        <TextField
          label={t('email')}
          type="email"
          required
          autoFocus
          autoComplete="off"
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <SelectField
          label={t('role')}
          value={role}
          hint={t(`${role}Text`)}
          options={given.map((name) => [name, t(name)])}
          onChange={({ target }) => setRole(given.find((name) => name === target.value) ?? 'reader')}
        />
        {invite.isError && <FailureNotice error={invite.error} />}
        <div className="dialog-actions">
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button type="submit" look="primary" isBusy={invite.isPending}>
            {t('inviteSubmit')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
