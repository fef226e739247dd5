import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { searchMessages } from './messages.ts';
import { recentQueries } from './query.ts';

/** The box of the search: suggestions by arrows and Enter, Esc closes them, / leads here from anywhere in the page. */
export function SearchBox({ query, onSearch }: { query: string; onSearch: (query: string) => void }): ReactElement {
  const t = useMessages(searchMessages);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(query);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const prefix = text.trim();
  const suggested = useQuery({
    queryKey: ['suggest', prefix],
    enabled: isOpen && prefix.length > 1,
    retry: false,
    queryFn: () => answered(api.GET('/api/content/v1/suggest', { params: { query: { prefix, limit: 6 } } })),
  });
  const recent = recentQueries().filter((past) => past.toLowerCase().startsWith(prefix.toLowerCase()));
  const options = [...new Set([...recent, ...(suggested.data?.items.map((item) => item.query) ?? [])])].slice(0, 8);
  const shown = isOpen && options.length > 0;

  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof HTMLElement && event.target.closest('input, textarea, select, dialog') !== null;
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, []);

  const search = (value: string): void => {
    setText(value);
    setOpen(false);
    setActive(-1);
    if (value.trim() !== '') onSearch(value.trim());
  };
  return (
    <form
      role="search"
      className="search-box"
      onSubmit={(event) => {
        event.preventDefault();
        search(options[active] ?? text);
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <div className="search-input">
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label={t('placeholder')}
          aria-expanded={shown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={shown && active >= 0 ? `${id}-${active}` : undefined}
          placeholder={t('placeholder')}
          autoComplete="off"
          maxLength={2000}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setActive(-1);
            setOpen(true);
          }}
          onFocus={() => setOpen(true)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setOpen(false);
            else if (event.key === 'ArrowDown') setActive((at) => (at + 1) % Math.max(1, options.length));
            else if (event.key === 'ArrowUp') setActive((at) => (at <= 0 ? options.length : at) - 1);
            else return;
            event.preventDefault();
          }}
        />
        <ul id={`${id}-list`} role="listbox" aria-label={t('recent')} className="search-options" hidden={!shown}>
          {options.map((option, index) => (
            <li
              key={option}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              onPointerDown={(event) => {
                event.preventDefault();
                search(option);
              }}
            >
              {option}
            </li>
          ))}
        </ul>
      </div>
      <Button type="submit" look="primary">
        {t('submit')}
      </Button>
    </form>
  );
}
