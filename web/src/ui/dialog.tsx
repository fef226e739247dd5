import { useEffect, useId, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { useMessages } from '../i18n/messages.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { uiMessages } from './messages.ts';

interface DialogProps {
  title: string;
  /** Closed by Esc, a click beside it, or its buttons. */
  onClose: () => void;
  children: ReactNode;
  isWide?: boolean;
}

/**
 * A modal dialog while it is rendered: the browser's own, which keeps the focus inside and gives it back. Esc and a
 * click beside it close it.
 */
export function Dialog({ title, onClose, children, isWide = false }: DialogProps): ReactElement {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    const before = document.activeElement;
    dialog?.showModal();
    // The browser focuses the first control; where that is not the one to use first, another one says so.
    dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={isWide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current && event.detail > 0) onClose();
      }}
    >
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** What will be lost. */
  children: ReactNode;
  /** The text of the button that does it. */
  action: string;
  /** What has to be typed first, for what cannot be undone. */
  name?: string;
  isBusy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something is destroyed; with `name`, that has to be typed. */
export function ConfirmDialog({
  title,
  children,
  action,
  name,
  isBusy = false,
  onConfirm,
  onClose,
}: ConfirmProps): ReactElement {
  const t = useMessages(uiMessages);
  const [typed, setTyped] = useState('');
  const isConfirmed = name === undefined || typed.trim() === name;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (isConfirmed && !isBusy) onConfirm();
        }}
      >
        <div>{children}</div>
        {name !== undefined && (
          <TextField
            label={t('typeName', { name })}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
        <div className="dialog-actions">
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" look="danger" disabled={!isConfirmed} isBusy={isBusy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
