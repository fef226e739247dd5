import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { includesRole, useMe } from '../api/me.ts';
import { useMessages } from '../i18n/messages.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Logo } from './logo.tsx';
import { appMessages } from './messages.ts';
import { navigation, type NavigationRow } from './navigation.ts';

const groups: readonly NavigationRow['group'][] = ['content', 'storage', 'administration'];

/** The frame of every page: navigation at the side, below 60 rem behind a button. */
export function Shell(): ReactElement {
  const t = useMessages(appMessages);
  const role = useMe()?.role ?? 'reader';
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const first = useRef(true);
  useEffect(() => {
    setOpen(false);
    // A new page begins where it is read: screen readers and the next Tab go on from there.
    if (!first.current) main.current?.focus({ preventScroll: true });
    first.current = false;
  }, [path]);
  return (
    <div className="shell" data-open={isOpen || undefined}>
      <a className="skip" href="#main">
        {t('skip')}
      </a>
      <header className="bar">
        <Link to="/" aria-label="Ply">
          <Logo />
        </Link>
        <Button
          look="quiet"
          icon={isOpen ? 'close' : 'menu'}
          label={isOpen ? t('closeMenu') : t('openMenu')}
          aria-expanded={isOpen}
          aria-controls="areas"
          onClick={() => setOpen(!isOpen)}
        />
      </header>
      <aside
        className="rail"
        id="areas"
        aria-label={t('sidebar')}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setOpen(false);
        }}
      >
        <Link to="/" className="rail-logo" aria-label="Ply">
          <Logo />
        </Link>
        <nav aria-label={t('navigation')}>
          {groups.map((group) => {
            const rows = navigation.filter(
              (row) => row.group === group && (row.role === undefined || includesRole(role, row.role)),
            );
            if (rows.length === 0) return null;
            return (
              <section key={group} aria-label={t(group)}>
                <h2>{t(group)}</h2>
                <ul>
                  {rows.map(({ name, path: to, icon }) => (
                    <li key={name}>
                      <Link to={to} activeProps={{ 'aria-current': 'page' }} activeOptions={{ includeSearch: false }}>
                        <Icon name={icon} />
                        {t(name)}
                      </Link>
                    </li>
                  ))}
                </ul>
              </section>
            );
          })}
        </nav>
        <AccountMenu />
      </aside>
      <main className="main" id="main" ref={main} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}
