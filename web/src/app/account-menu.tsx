import { useState, useSyncExternalStore, type ReactElement } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { answered, api } from '../api/client.ts';
import { session } from '../api/session.ts';
import { useMessages } from '../i18n/messages.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/field.tsx';
import { Menu } from '../ui/menu.tsx';
import { uiMessages } from '../ui/messages.ts';
import { FailureNotice } from '../ui/states.tsx';
import { toast } from '../ui/toast.tsx';
import { appMessages } from './messages.ts';
import { languages, setPreferences, themes, usePreferences, type Language, type Theme } from './preferences.ts';

/** Who is signed in, what the page looks like, and the way out. */
export function AccountMenu(): ReactElement {
  const t = useMessages(appMessages);
  const navigate = useNavigate();
  const current = useSyncExternalStore(session.subscribe, session.current);
  const [isChoosing, setChoosing] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const email = current?.email ?? '';
  const signOut = async (): Promise<void> => {
    try {
      await answered(api.DELETE('/api/dashboard/session'));
      session.end();
      toast(t('signedOut'));
      await navigate({ to: '/sign-in' });
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <div className="rail-account">
      {failure !== null && <FailureNotice error={failure} />}
      <Menu
        label={t('account', { email })}
        icon="people"
        text={email}
        items={[
          { label: t('profile'), icon: 'people', onSelect: () => void navigate({ to: '/profile' }) },
          { label: t('preferences'), icon: 'sun', onSelect: () => setChoosing(true) },
          { label: t('reference'), icon: 'audit', onSelect: () => window.location.assign('/docs') },
          { label: t('signOut'), icon: 'leave', onSelect: () => void signOut() },
        ]}
      />
      {isChoosing && <PreferencesDialog onClose={() => setChoosing(false)} />}
    </div>
  );
}

function PreferencesDialog({ onClose }: { onClose: () => void }): ReactElement {
  const t = useMessages(appMessages);
  const common = useMessages(uiMessages);
  const { theme, language } = usePreferences();
  return (
    <Dialog title={t('preferences')} onClose={onClose}>
      <SelectField
        label={t('theme')}
        value={theme}
        options={themes.map((name) => [name, t(`theme_${name}`)])}
        onChange={({ target }) => setPreferences({ theme: target.value as Theme })}
      />
      <SelectField
        label={t('language')}
        value={language}
        options={Object.entries(languages)}
        onChange={({ target }) => setPreferences({ language: target.value as Language })}
      />
      <div className="dialog-actions">
        <Button look="primary" onClick={onClose}>
          {common('close')}
        </Button>
      </div>
    </Dialog>
  );
}
