import { useSyncExternalStore, type ReactElement } from 'react';
import { useMessages } from '../i18n/messages.ts';
import { Button } from './button.tsx';
import { uiMessages } from './messages.ts';

interface Toast {
  id: number;
  text: string;
  undo?: () => void;
}

let toasts: readonly Toast[] = [];
let made = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Says that something was done, for some seconds; `undo` takes it back. */
export function toast(text: string, undo?: () => void): void {
  const id = (made += 1);
  change([...toasts.slice(-2), { id, text, ...(undo === undefined ? {} : { undo }) }]);
  setTimeout(() => change(toasts.filter((shown) => shown.id !== id)), undo === undefined ? 5000 : 10_000);
}

/** Where toasts appear, once in the page. */
export function Toasts(): ReactElement {
  const t = useMessages(uiMessages);
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, undo }) => (
        <div className="toast" key={id}>
          <span>{text}</span>
          {undo !== undefined && (
            <Button
              onClick={() => {
                undo();
                change(toasts.filter((other) => other.id !== id));
              }}
            >
              {t('undo')}
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}
