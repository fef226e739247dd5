import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { entriesOf } from '../../ui/value-dialog.tsx';
import type { Bucket, BucketChange } from './bucket-state.tsx';
import { useSaveBucket } from './save-bucket.ts';
import { bucketSettingMessages } from './setting-messages.ts';

type CacheRule = NonNullable<NonNullable<BucketChange['cache']>['rules']>[number];

/** A rule as its fields stand. */
interface Draft {
  by: 'prefix' | 'extension';
  match: string;
  edgeTtlSeconds: string;
  browserCacheControl: string;
}

const emptyDraft: Draft = { by: 'prefix', match: '', edgeTtlSeconds: '', browserCacheControl: '' };

function draftOf(rule: CacheRule): Draft {
  const { pathPrefix, extensions, edgeTtlSeconds, browserCacheControl } = rule;
  return {
    by: pathPrefix === undefined ? 'extension' : 'prefix',
    match: pathPrefix ?? (extensions ?? []).join(', '),
    edgeTtlSeconds: edgeTtlSeconds === undefined ? '' : String(edgeTtlSeconds),
    browserCacheControl: browserCacheControl ?? '',
  };
}

function ruleOf({ by, match, edgeTtlSeconds, browserCacheControl }: Draft): CacheRule {
  return {
    ...(by === 'prefix' ? { pathPrefix: match } : { extensions: entriesOf(match) }),
    ...(edgeTtlSeconds !== '' && { edgeTtlSeconds: Number(edgeTtlSeconds) }),
    ...(browserCacheControl !== '' && { browserCacheControl }),
  };
}

/** Changes the cache rules of a bucket, which are saved together. */
export function CacheRules({ bucket, onClose }: { bucket: Bucket; onClose: () => void }): ReactElement {
  const t = useMessages(bucketSettingMessages);
  const saveBucket = useSaveBucket(bucket.id);
  const [drafts, setDrafts] = useState<readonly Draft[]>(() => bucket.cache.rules.map(draftOf));
  const save = useMutation({
    mutationFn: () => saveBucket({ cache: { rules: drafts.map(ruleOf) } }),
    onSuccess: onClose,
  });
  const change = (at: number, changes: Partial<Draft>): void =>
    setDrafts(drafts.map((draft, index) => (index === at ? { ...draft, ...changes } : draft)));
  return (
    <Dialog title={t('rules')} onClose={onClose} isWide>
      <DialogForm isBusy={save.isPending} error={save.error} onSubmit={() => save.mutate()} onClose={onClose}>
        <p className="muted">{t('rulesHint')}</p>
        {drafts.map((draft, at) => (
          <fieldset key={at} className="rule">
            <legend>{t('rule', { number: at + 1 })}</legend>
            <SelectField
              label={t('matches')}
              value={draft.by}
              options={[
                ['prefix', t('byPrefix')],
                ['extension', t('byExtension')],
              ]}
              onChange={({ target }) => change(at, { by: target.value === 'extension' ? 'extension' : 'prefix' })}
            />
            <TextField
              label={draft.by === 'prefix' ? t('byPrefix') : t('byExtension')}
              hint={t('matchHint')}
              required
              value={draft.match}
              onChange={({ target }) => change(at, { match: target.value })}
            />
            <TextField
              label={t('edgeTtlSeconds')}
              type="number"
              min={0}
              value={draft.edgeTtlSeconds}
              onChange={({ target }) => change(at, { edgeTtlSeconds: target.value })}
            />
            <TextField
              label={t('browserCacheControl')}
              value={draft.browserCacheControl}
              onChange={({ target }) => change(at, { browserCacheControl: target.value })}
            />
            <div className="actions">
              <Button icon="trash" onClick={() => setDrafts(drafts.filter((_, index) => index !== at))}>
                {t('removeRule', { number: at + 1 })}
              </Button>
            </div>
          </fieldset>
        ))}
        {drafts.length < 20 && (
          <div className="actions">
            <Button icon="plus" onClick={() => setDrafts([...drafts, emptyDraft])}>
              {t('addRule')}
            </Button>
          </div>
        )}
      </DialogForm>
    </Dialog>
  );
}
