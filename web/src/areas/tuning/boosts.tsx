import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { keys, useChange } from './change.ts';
import { tuningMessages } from './messages.ts';
import { Rules } from './rules.tsx';

type Boost = components['schemas']['Boost'];
type Kind = components['schemas']['Kind'];

const kinds: readonly Kind[] = ['document', 'audio', 'video'];
const empty = { name: '', kind: '', key: '', value: '', factor: '2' };

/** A change of the boosts: one is written, or removed by its name. */
type Change = { write: Boost } | { remove: string };

function send(change: Change): Promise<unknown> {
  return 'write' in change
    ? answered(
        api.PUT('/api/content/v1/tuning/boosts/{name}', {
          params: { path: { name: change.write.name } },
          body: change.write,
        }),
      )
    : answered(api.DELETE('/api/content/v1/tuning/boosts/{name}', { params: { path: { name: change.remove } } }));
}

/** Files that count for more, or less. */
export function Boosts(): ReactElement {
  const t = useMessages(tuningMessages);
  const format = useFormat();
  const [given, setGiven] = useState(empty);
  const list = useQuery({
    queryKey: [keys.rules, 'boosts'],
    queryFn: () => answered(api.GET('/api/content/v1/tuning/boosts')),
  });
  const save = useChange(send);
  const field = (name: keyof typeof empty) => ({
    value: given[name],
    onChange: ({ target }: { target: { value: string } }) => setGiven({ ...given, [name]: target.value }),
  });
  const kind = kinds.find((each) => each === given.kind);
  const boost: Boost = {
    name: given.name.trim(),
    factor: Number(given.factor),
    match: {
      ...(kind === undefined ? {} : { kind }),
      ...(given.key.trim() === '' ? {} : { metadata: { [given.key.trim()]: given.value } }),
    },
  };
  return (
    <Rules
      title={t('boosts')}
      text={t('boostsText')}
      none={t('noBoosts')}
      list={list}
      nameOf={({ name }) => name}
      columns={[
        { id: 'name', title: t('name'), width: 'minmax(0, 1fr)', cell: ({ name }) => name },
        {
          id: 'match',
          title: t('match'),
          width: 'minmax(0, 2fr)',
          isWide: true,
          cell: ({ match }) =>
            [
              ...(match.kind === undefined ? [] : [t(match.kind)]),
              ...Object.entries(match.metadata ?? {}).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
            ].join(', '),
        },
        { id: 'factor', title: t('factor'), width: '5rem', cell: ({ factor }) => format.number(factor) },
      ]}
      onRemove={({ name }) => save.mutate({ remove: name })}
      failure={save.error}
    >
      <form
        className="tuning-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate({ write: boost }, { onSuccess: () => setGiven(empty) });
        }}
      >
        <TextField label={t('name')} required maxLength={100} pattern="[A-Za-z0-9_.~\-]+" {...field('name')} />
        <SelectField
          label={t('kind')}
          options={[['', t('anyKind')], ...kinds.map((each): [string, string] => [each, t(each)])]}
          {...field('kind')}
        />
        <TextField label={t('key')} maxLength={100} required={kind === undefined} {...field('key')} />
        <TextField label={t('value')} {...field('value')} />
        <TextField label={t('factor')} type="number" min="0.1" max="10" step="0.1" required {...field('factor')} />
        <Button type="submit" icon="plus" isBusy={save.isPending}>
          {t('add')}
        </Button>
      </form>
    </Rules>
  );
}
