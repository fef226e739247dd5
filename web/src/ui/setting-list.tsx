import type { ReactElement, ReactNode } from 'react';
import { Button } from './button.tsx';

/** A setting in a list. */
export interface SettingItem {
  id: string;
  title: string;
  hint: string;
  /** The value in force, as text; line breaks are kept. */
  value: string;
  /** Where the value comes from. */
  origin?: ReactNode;
}

/** Settings with their values. The button of each opens what changes it; null for people who may not change anything. */
export function SettingList({
  items,
  change,
  onChange,
}: {
  items: readonly SettingItem[];
  /** The text of the buttons. */
  change: string;
  onChange: ((id: string) => void) | null;
}): ReactElement {
  return (
    <ul className="settings">
      {items.map(({ id, title, hint, value, origin }) => (
        <li key={id}>
          <div>
            <h3>{title}</h3>
            <p className="muted">{hint}</p>
          </div>
          <div className="settings-value">
            <span>{value}</span>
            {origin}
          </div>
          {onChange !== null && (
            <Button aria-label={`${change}: ${title}`} onClick={() => onChange(id)}>
              {change}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
