import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { asFailure } from '../../api/failure.ts';
import { useMessages } from '../../i18n/messages.ts';
import { TextField } from '../../ui/field.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { profileMessages } from './messages.ts';

interface Props {
  asks: readonly ('password' | 'code' | 'anyCode')[];
  action: string;
  /** @throws ApiFailure, which is shown at the field that it is about */
  onProof: (proof: { password: string; code: string }) => Promise<void>;
  onClose: () => void;
}

/** Asks for the password, or a code, once more. */
export function ProofForm({ asks, action, onProof, onClose }: Props): ReactElement {
  const t = useMessages(profileMessages);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const prove = useMutation({ mutationFn: () => onProof({ password, code: code.trim() }) });
  const fault = prove.isError ? asFailure(prove.error).code : null;
  const [isOfPassword, isOfCode] = [fault === 'invalid_credentials', fault === 'invalid_second_factor'];
  const codeName = asks.find((name) => name !== 'password');
  return (
    <DialogForm
      submit={action}
      isBusy={prove.isPending}
      error={prove.isError && !isOfPassword && !isOfCode ? prove.error : null}
      onSubmit={() => prove.mutate()}
      onClose={onClose}
    >
      {asks.includes('password') && (
        <TextField
          label={t('current')}
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={password}
          fault={isOfPassword ? t('wrongPassword') : null}
          onChange={({ target }) => setPassword(target.value)}
        />
      )}
      {codeName !== undefined && (
        <TextField
          label={t(codeName)}
          inputMode={codeName === 'code' ? 'numeric' : 'text'}
          autoComplete="one-time-code"
          required
          value={code}
          fault={isOfCode ? t('wrongCode') : null}
          onChange={({ target }) => setCode(target.value)}
        />
      )}
    </DialogForm>
  );
}
