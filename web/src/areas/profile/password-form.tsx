import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FailureNotice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { profileMessages } from './messages.ts';

/** Changes the own password. */
export function PasswordForm({ email }: { email: string }): ReactElement {
  const t = useMessages(profileMessages);
  const queries = useQueryClient();
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const change = useMutation({
    mutationFn: () => answered(api.POST('/api/dashboard/profile/password', { body: { password, newPassword } })),
    onSuccess: async () => {
      toast(t('changed'));
      setPassword('');
      setNewPassword('');
      await queries.invalidateQueries({ queryKey: ['sessions'] });
    },
  });
  const isWrong = change.isError && asFailure(change.error).code === 'invalid_credentials';
  return (
    <form
      className="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!change.isPending) change.mutate();
      }}
    >
      <h2>{t('password')}</h2>
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <TextField
        label={t('current')}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        fault={isWrong ? t('wrongPassword') : null}
        onChange={({ target }) => setPassword(target.value)}
      />
      <TextField
        label={t('next')}
        hint={t('nextHint')}
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        value={newPassword}
        onChange={({ target }) => setNewPassword(target.value)}
      />
      {change.isError && !isWrong && <FailureNotice error={change.error} />}
      <div className="actions">
        <Button type="submit" isBusy={change.isPending}>
          {t('change')}
        </Button>
      </div>
    </form>
  );
}
