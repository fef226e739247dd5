import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { Allowed } from '../../app/allowed.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { LoadedTable } from '../../ui/loaded-table.tsx';
import { FailureNotice } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { tuningMessages } from './messages.ts';

interface Props<Rule> {
  title: string;
  text: string;
  /** Shown where there are no rules. */
  none: string;
  list: UseQueryResult<{ items: Rule[] }>;
  nameOf: (rule: Rule) => string;
  columns: readonly Column<Rule>[];
  onRemove: (rule: Rule) => void;
  /** Why the last change failed; null if it did not. */
  failure: Error | null;
  /** The form that adds a rule. */
  children?: ReactNode;
}

/** Rules of one kind: a list, and for those who may change them a way to remove and add one. */
export function Rules<Rule>(props: Props<Rule>): ReactElement {
  const t = useMessages(tuningMessages);
  const { title, text, none, list, nameOf, columns, onRemove, failure, children } = props;
  const rows = list.data?.items ?? [];
  return (
    <section className="card stack">
      <h2>{title}</h2>
      <p className="muted">{text}</p>
      <LoadedTable
        list={list}
        empty={<p>{none}</p>}
        label={title}
        rows={rows}
        keyOf={nameOf}
        columns={[
          ...columns,
          {
            id: 'actions',
            title: t('actions'),
            width: '5rem',
            cell: (rule) => (
              <Allowed role="editor" isQuiet>
                <Button
                  look="quiet"
                  icon="trash"
                  label={t('remove', { name: nameOf(rule) })}
                  onClick={() => onRemove(rule)}
                />
              </Allowed>
            ),
          },
        ]}
      />
      {failure !== null && <FailureNotice error={failure} />}
      <Allowed role="editor" isQuiet>
        {children}
      </Allowed>
    </section>
  );
}
