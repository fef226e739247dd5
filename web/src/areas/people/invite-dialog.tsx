import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { includesRole, roles, useMe, type Role } from '../../api/me.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { peopleMessages } from './messages.ts';

/** Invites a person and shows the link, once. */
export function InviteDialog({ onClose }: { onClose: () => void }): ReactElement {
  const t = useMessages(peopleMessages);
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
      <DialogForm
        submit={t('inviteSubmit')}
        isBusy={invite.isPending}
        error={invite.error}
        onSubmit={() => invite.mutate()}
        onClose={onClose}
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
      </DialogForm>
    </Dialog>
  );
}
