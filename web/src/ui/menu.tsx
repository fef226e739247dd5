import { useEffect, useId, useRef, useState, type ReactElement } from 'react';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** One thing to do in a menu. */
export interface MenuItem {
  label: string;
  icon?: IconName;
  onSelect: () => void;
}

/** A button with a menu: arrows move, Esc and a click elsewhere close it. */
export function Menu({
  label,
  icon = 'more',
  text,
  items,
}: {
  label: string;
  icon?: IconName;
  text?: string;
  items: readonly MenuItem[];
}): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  const buttons = (): HTMLElement[] => [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  useEffect(() => {
    if (!isOpen) return;
    buttons()[0]?.focus();
    const leave = (event: PointerEvent): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true) setOpen(false);
    };
    document.addEventListener('pointerdown', leave);
    return () => document.removeEventListener('pointerdown', leave);
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    root.current?.querySelector<HTMLElement>('button')?.focus();
  };
  const move = (step: number): void => {
    const all = buttons();
    const at = all.findIndex((button) => button === document.activeElement);
    all[(at + step + all.length) % all.length]?.focus();
  };
  return (
    <div
      className="menu"
      ref={root}
      onKeyDown={(event) => {
        if (!isOpen) return;
        if (event.key === 'Escape') close();
        else if (event.key === 'ArrowDown') move(1);
        else if (event.key === 'ArrowUp') move(-1);
        else if (event.key === 'Tab') return setOpen(false);
        else return;
        event.preventDefault();
      }}
    >
      <Button
        look="quiet"
        icon={icon}
        {...(text === undefined ? { label } : {})}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {text}
      </Button>
      {isOpen && (
        <div className="menu-list" role="menu" id={id} aria-label={label}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                item.onSelect();
              }}
            >
              {item.icon !== undefined && <Icon name={item.icon} />}
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
