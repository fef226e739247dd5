import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { fileMessages } from './messages.ts';
import { kinds, states, type ListFilter } from './rows.ts';

/** Narrows the list of files by a part of their names, kind, state and connector. */
export function ListFilters({
  filter,
  onChange,
}: {
  filter: ListFilter;
  onChange: (filter: ListFilter) => void;
}): ReactElement {
  const t = useMessages(fileMessages);
  const [text, setText] = useState(filter.q ?? '');
  const { q: _text, ...others } = filter;
  const narrow = (): void => onChange({ ...others, ...(text.trim() !== '' && { q: text.trim() }) });
  const { kind: _kind, ...withoutKind } = filter;
  const { state: _state, ...withoutState } = filter;
  const { connectorId: _connectorId, ...withoutConnector } = filter;
  const connectors = useQuery({
    queryKey: ['connectors'],
    queryFn: () => answered(api.GET('/api/content/v1/connectors')),
  });
  const sources = connectors.data?.items ?? [];
  return (
    <form
      role="search"
      aria-label={t('narrow')}
      className="list-filters"
      onSubmit={(event) => {
        event.preventDefault();
        narrow();
      }}
    >
      <TextField
        label={t('byName')}
        value={text}
        maxLength={200}
        onChange={({ target }) => setText(target.value)}
        onBlur={narrow}
      />
      <SelectField
        label={t('kind')}
        value={filter.kind ?? ''}
        options={[['', t('all')], ...kinds.map((kind) => [kind, t(`kind_${kind}`)] as const)]}
        onChange={({ target }) => {
          const kind = kinds.find((name) => name === target.value);
          onChange({ ...withoutKind, ...(kind !== undefined && { kind }) });
        }}
      />
      <SelectField
        label={t('state')}
        value={filter.state ?? ''}
        options={[['', t('all')], ...states.map((state) => [state, t(`only_${state}`)] as const)]}
        onChange={({ target }) => {
          const state = states.find((name) => name === target.value);
          onChange({ ...withoutState, ...(state !== undefined && { state }) });
        }}
      />
      {sources.length > 0 && (
        <SelectField
          label={t('byConnector')}
          value={filter.connectorId ?? ''}
          options={[['', t('all')], ...sources.map(({ connectorId, name }) => [connectorId, name] as const)]}
          onChange={({ target: { value } }) =>
            onChange({ ...withoutConnector, ...(value !== '' && { connectorId: value }) })
          }
        />
      )}
    </form>
  );
}
