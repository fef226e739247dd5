import { useState, type ReactElement } from 'react';
import { useMessages } from '../i18n/messages.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { uiMessages } from './messages.ts';

/** A text that is to be taken elsewhere, such as a key that is shown once. */
export function CopyField({ label, value, hint }: { label: string; value: string; hint?: string }): ReactElement {
  const t = useMessages(uiMessages);
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <div className="stack">
      <TextField
        label={label}
        value={value}
        readOnly
        onFocus={({ target }) => target.select()}
        {...(hint === undefined ? {} : { hint })}
      />
      <div className="actions">
        <Button onClick={() => void copy()} icon={isCopied ? 'check' : 'link'}>
          {isCopied ? t('copied') : t('copy')}
        </Button>
      </div>
    </div>
  );
}
