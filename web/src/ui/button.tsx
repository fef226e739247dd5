import type { ButtonHTMLAttributes } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'plain' | 'primary' | 'danger' | 'quiet';
  icon?: IconName;
  /** Of a button that shows its icon alone. */
  label?: string;
  /** Work is under way: the button stays focused and does nothing. */
  isBusy?: boolean;
}

/** A button. With `label` in place of children it shows its icon alone. */
export function Button({
  look = 'plain',
  icon,
  label,
  isBusy = false,
  children,
  onClick,
  ...rest
}: Props): React.ReactElement {
  const names = ['button', look === 'plain' ? '' : `button-${look}`, label === undefined ? '' : 'button-icon'];
  return (
    <button
      type="button"
      {...rest}
      className={[...names, rest.className ?? ''].filter((name) => name !== '').join(' ')}
      aria-label={label ?? rest['aria-label']}
      title={label}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={isBusy ? (event) => event.preventDefault() : onClick}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}
