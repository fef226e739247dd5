import { useState, type ReactElement } from 'react';
import { useMessages } from '../i18n/messages.ts';
import { Button } from './button.tsx';
import { TextArea, TextField } from './field.tsx';
import { uiMessages } from './messages.ts';

/** A text that is to be taken elsewhere, such as a key that is shown once; with `isLong`, one of several lines. */
export function CopyField({
  label,
  value,
  hint,
  isLong = false,
}: {
  label: string;
  value: string;
  hint?: string;
  isLong?: boolean;
}): ReactElement {
  const t = useMessages(uiMessages);
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  const field = { label, value, readOnly: true, ...(hint === undefined ? {} : { hint }) };
  return (
    <div className="stack">
      {isLong ? (
        <TextArea {...field} rows={Math.max(6, value.split('\n').length + 1)} />
      ) : (
        <TextField {...field} onFocus={({ target }) => target.select()} />
      )}
      <div className="actions">
        <Button onClick={() => void copy()} icon={isCopied ? 'check' : 'link'}>
          {isCopied ? t('copied') : t('copy')}
        </Button>
      </div>
    </div>
  );
}
