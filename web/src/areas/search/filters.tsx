import type { ReactElement } from 'react';
import { useCollections } from '../../api/collections.ts';
import { useMessages } from '../../i18n/messages.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { searchMessages } from './messages.ts';
import type { Asked } from './routes.ts';

const opening = ['kind', 'collection', 'after', 'before', 'meta', 'as'] as const;

/** Narrows a search: by kind, collection, day, and to what a reader may see. */
export function Filters({ asked, onChange }: { asked: Asked; onChange: (asked: Asked) => void }): ReactElement {
  const t = useMessages(searchMessages);
  const collections = useCollections();
  const set = (name: keyof Asked, value: string): void =>
    onChange({ ...asked, [name]: value === '' ? undefined : value });
  return (
    <details className="filters" open={opening.some((name) => asked[name] !== undefined)}>
      <summary>{t('more')}</summary>
      <div className="filters-fields">
        <SelectField
          label={t('kind')}
          value={asked.kind ?? ''}
          options={[
            ['', t('kind_all')],
            ['document', t('kind_document')],
            ['audio', t('kind_audio')],
            ['video', t('kind_video')],
          ]}
          onChange={({ target }) => set('kind', target.value)}
        />
        <SelectField
          label={t('collection')}
          value={asked.collection ?? ''}
          options={[
            ['', t('collection_all')],
            ...(collections.data?.items ?? []).map(({ externalId, name }) => [externalId, name] as const),
          ]}
          onChange={({ target }) => set('collection', target.value)}
        />
        <TextField
          label={t('after')}
          type="date"
          value={asked.after ?? ''}
          onChange={({ target }) => set('after', target.value)}
        />
        <TextField
          label={t('before')}
          type="date"
          value={asked.before ?? ''}
          onChange={({ target }) => set('before', target.value)}
        />
        <TextField
          label={t('metadata')}
          hint={t('metadataHint')}
          defaultValue={asked.meta ?? ''}
          onBlur={({ target }) => set('meta', target.value.trim())}
        />
        <TextField
          label={t('reader')}
          hint={t('readerHint')}
          defaultValue={asked.as ?? ''}
          onBlur={({ target }) => set('as', target.value.trim())}
        />
      </div>
    </details>
  );
}
