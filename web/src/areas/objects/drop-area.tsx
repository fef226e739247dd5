import { useRef, useSyncExternalStore, type ReactElement, type ReactNode } from 'react';
import { asFailure } from '../../api/failure.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { filesOfInput, useDrop } from '../files/dropped.ts';
import type { Chosen } from '../files/send.ts';
import { objectMessages } from './messages.ts';
import { transferStore, type Transfer } from './transfers.ts';
import './objects.css';

/** A place to drop files and folders on, with a button that chooses files. */
export function DropArea({
  accept,
  button,
  onFiles,
  children,
}: {
  /** The types that the button offers, as of an input of files. */
  accept?: string;
  button: string;
  onFiles: (files: readonly Chosen[]) => void;
  children: (choose: ReactElement) => ReactNode;
}): ReactElement {
  const dropping = useDrop(onFiles);
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="stack drop-area" {...dropping}>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={button}
        accept={accept}
        onChange={({ target }) => {
          onFiles(filesOfInput(target.files));
          target.value = '';
        }}
      />
      {children(
        <Button look="primary" icon="upload" onClick={() => input.current?.click()}>
          {button}
        </Button>,
      )}
    </div>
  );
}

/** What is being sent into a bucket or library, and what could not be. */
export function TransferPanel({ target }: { target: string }): ReactElement | null {
  const t = useMessages(objectMessages);
  const all = useSyncExternalStore(transferStore.subscribe, transferStore.current);
  const shown = all.filter((transfer) => transfer.target === target);
  if (shown.length === 0) return null;
  const stateOf = ({ state, error }: Transfer): string => {
    if (state !== 'failed') return t(state);
    const { code, message, requestId } = asFailure(error);
    return [t('failed'), message || code, requestId ?? ''].filter((part) => part !== '').join(' · ');
  };
  return (
    <section className="card stack transfers" aria-label={t('transfers')}>
      <div className="page-head">
        <h2>{t('transfers')}</h2>
        <Button look="quiet" onClick={transferStore.clear}>
          {t('clear')}
        </Button>
      </div>
      <ul>
        {shown.slice(-200).map((transfer) => (
          <li key={transfer.id}>
            <span>{transfer.name}</span>
            <span className="muted">{stateOf(transfer)}</span>
            {transfer.state === 'sending' && (
              <progress className="progress" value={transfer.share} max={1} aria-label={transfer.name} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
