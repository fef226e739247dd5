import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useState, type ReactElement, type SubmitEvent } from 'react';
import { answered, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { session } from '../../api/session.ts';
import { Logo } from '../../app/logo.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FailureNotice } from '../../ui/states.tsx';
import { signInMessages } from './messages.ts';
import './sign-in.css';

const route = getRouteApi('/sign-in');

/** Begins a session with e-mail address and password, then leads to where the person wanted to go. */
export function SignInPage(): ReactElement {
  const t = useMessages(signInMessages);
  const { next = '/' } = route.useSearch();
  const router = useRouter();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const fault = failure === null ? null : asFailure(failure).code;
  const [isWrong, isWrongCode] = [fault === 'invalid_credentials', fault === 'invalid_second_factor'];

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      const body = { email: email.trim(), password, ...(code === null ? {} : { code: code.trim() }) };
      const begun = await answered(api.POST('/api/dashboard/session', { body }));
      session.begin({ ...begun, ownOrganizationId: begun.organizationId });
      router.history.push(next);
    } catch (error) {
      const isAsked = asFailure(error).code === 'second_factor_required';
      if (isAsked) return setCode('');
      setFailure(error);
      if (asFailure(error).code === 'invalid_credentials') setPassword('');
    } finally {
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <div className="sign-in-side">
        <Logo />
        <p>{t('lead')}</p>
      </div>
      <form className="sign-in-form" onSubmit={(event) => void submit(event)}>
        <h1>{t('title')}</h1>
        <TextField
          label={t('email')}
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
        <TextField
          label={t('password')}
          type="password"
          autoComplete="current-password"
          required
          value={password}
          fault={isWrong ? t('wrong') : null}
          onChange={({ target }) => setPassword(target.value)}
        />
        {code !== null && (
          <TextField
            label={t('code')}
            hint={t('codeHint')}
            autoComplete="one-time-code"
            required
            autoFocus
            value={code}
            fault={isWrongCode ? t('wrongCode') : null}
            onChange={({ target }) => setCode(target.value)}
          />
        )}
        {failure !== null && !isWrong && !isWrongCode && <FailureNotice error={failure} />}
        <Button type="submit" look="primary" isBusy={isBusy}>
          {t('submit')}
        </Button>
        <p className="muted">{t('first')}</p>
      </form>
    </main>
  );
}
