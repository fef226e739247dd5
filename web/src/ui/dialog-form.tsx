import type { ReactElement, ReactNode } from 'react';
import { useMessages } from '../i18n/messages.ts';
import { Button } from './button.tsx';
import { uiMessages } from './messages.ts';
import { FailureNotice } from './states.tsx';

interface Props {
  /** The fields. */
  children: ReactNode;
  /** The text of the button that sends the form; "Save" if left out. */
  submit?: string;
  isBusy: boolean;
  /** Whether what was filled in cannot be sent as it is. */
  isDisabled?: boolean;
  /** Why sending it failed; null where it did not. */
  error: unknown;
  /** Further buttons, before those of the form. */
  actions?: ReactNode;
  onSubmit: () => void;
  onClose: () => void;
}

/** The form of a dialog: its fields, why it failed, and the buttons that leave it and send it. It is sent once at a time. */
export function DialogForm(props: Props): ReactElement {
  const { children, submit, isBusy, isDisabled = false, error, actions, onSubmit, onClose } = props;
  const t = useMessages(uiMessages);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy && !isDisabled) onSubmit();
      }}
    >
      {children}
      {error !== null && <FailureNotice error={error} />}
      <div className="dialog-actions">
        {actions}
        <Button onClick={onClose}>{t('cancel')}</Button>
        <Button type="submit" look="primary" disabled={isDisabled} isBusy={isBusy}>
          {submit ?? t('save')}
        </Button>
      </div>
    </form>
  );
}
