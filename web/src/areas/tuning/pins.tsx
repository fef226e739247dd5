import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { keys, useChange } from './change.ts';
import { tuningMessages } from './messages.ts';
import { Rules } from './rules.tsx';

type Pin = components['schemas']['Pin'];

/** The pins of all queries. */
export function usePins(): UseQueryResult<{ items: Pin[] }> {
  return useQuery({
    queryKey: [keys.rules, 'pins'],
    queryFn: () => answered(api.GET('/api/content/v1/tuning/pins')),
  });
}

/** Writes the pins of a query; none removes them. */
export function writePin(pin: Pin): Promise<unknown> {
  return answered(api.PUT('/api/content/v1/tuning/pins', { body: pin }));
}

/** The queries that show some files first. */
export function Pins(): ReactElement {
  const t = useMessages(tuningMessages);
  const list = usePins();
  const save = useChange(writePin);
  return (
    <Rules
      title={t('pins')}
      text={t('pinsText')}
      none={t('noPins')}
      list={list}
      nameOf={({ query }) => query}
      columns={[
        {
          id: 'query',
          title: t('query'),
          width: 'minmax(0, 1fr)',
          cell: ({ query }) => (
            <Link to="/tuning" search={{ q: query }}>
              {query}
            </Link>
          ),
        },
        { id: 'files', title: t('files'), width: '5rem', cell: ({ assetIds }) => String(assetIds.length) },
      ]}
      onRemove={({ query }) => save.mutate({ query, assetIds: [] })}
      failure={save.error}
    />
  );
}
