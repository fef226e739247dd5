import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { keys, useChange } from './change.ts';
import { tuningMessages } from './messages.ts';
import { Rules } from './rules.tsx';

type Synonym = components['schemas']['Synonym'];

/** The dictionary, which is written as a whole. */
export function Synonyms(): ReactElement {
  const t = useMessages(tuningMessages);
  const [term, setTerm] = useState('');
  const [expansions, setExpansions] = useState('');
  const list = useQuery({
    queryKey: [keys.rules, 'synonyms'],
    queryFn: () => answered(api.GET('/api/content/v1/tuning/synonyms')),
  });
  const save = useChange((items: Synonym[]) => answered(api.PUT('/api/content/v1/tuning/synonyms', { body: items })));
  const others = (name: string): Synonym[] => (list.data?.items ?? []).filter((rule) => rule.term !== name);
  const words = expansions.split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
  return (
    <Rules
      title={t('synonyms')}
      text={t('synonymsText')}
      none={t('noSynonyms')}
      list={list}
      nameOf={(rule) => rule.term}
      columns={[
        { id: 'term', title: t('term'), width: 'minmax(0, 1fr)', cell: (rule) => rule.term },
        { id: 'also', title: t('expansions'), width: 'minmax(0, 2fr)', cell: (rule) => rule.expansions.join(', ') },
      ]}
      onRemove={(rule) => save.mutate(others(rule.term))}
      failure={save.error}
    >
      <form
        className="tuning-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (save.isPending || !list.isSuccess) return;
          save.mutate([...others(term.trim()), { term: term.trim(), expansions: words }], {
            onSuccess: () => {
              setTerm('');
              setExpansions('');
            },
          });
        }}
      >
        <TextField
          label={t('term')}
          required
          maxLength={100}
          value={term}
          onChange={({ target }) => setTerm(target.value)}
        />
        <TextField
          label={t('expansions')}
          hint={t('expansionsHint')}
          required
          value={expansions}
          onChange={({ target }) => setExpansions(target.value)}
        />
        <Button type="submit" icon="plus" isBusy={save.isPending}>
          {t('add')}
        </Button>
      </form>
    </Rules>
  );
}
