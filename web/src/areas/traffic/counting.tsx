import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { uiMessages } from '../../ui/messages.ts';
import { EmptyState, FailureNotice } from '../../ui/states.tsx';
import type { Bucket, BucketChange } from '../buckets/bucket-state.tsx';
import { useSaveBucket } from '../buckets/save-bucket.ts';
import { trafficMessages } from './messages.ts';

type Rule = NonNullable<NonNullable<BucketChange['analytics']>['dimensions']>[number];
type Kind = Rule['type'];

const kinds: readonly Kind[] = ['pathSegment', 'queryParam', 'tag', 'pattern'];
const fields = { pathSegment: 'index', queryParam: 'param', tag: 'tag', pattern: 'pattern' } as const;

/** A rule of an answer, in the form in which it is sent. */
function ruleOf(found: { readonly [field: string]: unknown }): Rule[] {
  const { name } = found;
  const type = kinds.find((kind) => kind === found['type']);
  if (typeof name !== 'string' || type === undefined) return [];
  return [{ name, type, [fields[type]]: found[fields[type]] }];
}

/** Whether the traffic of a bucket is counted, and by which rules. */
export function CountingCard({ bucket }: { bucket: Bucket }): ReactElement {
  const t = useMessages(trafficMessages);
  const saveBucket = useSaveBucket(bucket.id);
  const [isAdding, setAdding] = useState(false);
  const save = useMutation({ mutationFn: (analytics: BucketChange['analytics'] & {}) => saveBucket({ analytics }) });
  const { enabled, dimensions } = bucket.analytics;
  const rules = dimensions.flatMap(ruleOf);
  if (!enabled)
    return (
      <EmptyState
        title={t('off')}
        action={
          <>
            {save.isError && <FailureNotice error={save.error} />}
            <Button look="primary" icon="chart" isBusy={save.isPending} onClick={() => save.mutate({ enabled: true })}>
              {t('turnOn')}
            </Button>
          </>
        }
      >
        {t('offText')}
      </EmptyState>
    );
  return (
    <section className="card stack">
      <h2>{t('rules')}</h2>
      <p className="muted">{t('rulesText')}</p>
      {rules.length === 0 && <p>{t('noRules')}</p>}
      <ul className="stack">
        {rules.map((rule) => (
          <li key={rule.name} className="actions">
            <strong>{rule.name}</strong>
            <span className="muted">{`${t(rule.type)}: ${String(rule[fields[rule.type]] ?? '')}`}</span>
            <Button
              look="quiet"
              icon="trash"
              label={t('removeRule', { name: rule.name })}
              onClick={() => save.mutate({ dimensions: rules.filter(({ name }) => name !== rule.name) })}
            />
          </li>
        ))}
      </ul>
      {save.isError && <FailureNotice error={save.error} />}
      <div className="actions">
        {rules.length < 3 && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            {t('addRule')}
          </Button>
        )}
        <Button isBusy={save.isPending} onClick={() => save.mutate({ enabled: false })}>
          {t('turnOff')}
        </Button>
      </div>
      {isAdding && (
        <RuleDialog
          bucketId={bucket.id}
          onSave={(rule) => saveBucket({ analytics: { dimensions: [...rules, rule] } })}
          onClose={() => setAdding(false)}
        />
      )}
    </section>
  );
}

/** Makes a rule, which can be tried on what was asked for before it is saved. */
function RuleDialog({
  bucketId,
  onSave,
  onClose,
}: {
  bucketId: string;
  onSave: (rule: Rule) => Promise<void>;
  onClose: () => void;
}): ReactElement {
  const t = useMessages(trafficMessages);
  const common = useMessages(uiMessages);
  const format = useFormat();
  const [name, setName] = useState('');
  const [type, setType] = useState<Kind>('pathSegment');
  const [value, setValue] = useState('1');
  const rule: Rule = { name, type, [fields[type]]: type === 'pathSegment' ? Number(value) : value };
  const save = useMutation({ mutationFn: () => onSave(rule), onSuccess: onClose });
  const preview = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/content/v1/buckets/{bucketId}/analytics/preview', {
          params: { path: { bucketId } },
          body: { rule: { ...rule, name: name === '' ? 'preview' : name } },
        }),
      ),
  });
  const failure = save.error ?? preview.error;
  return (
    <Dialog title={t('addRule')} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate();
        }}
      >
        <TextField
          label={t('ruleName')}
          hint={t('ruleNameHint')}
          required
          autoFocus
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <SelectField
          label={t('ruleType')}
          value={type}
          options={kinds.map((kind) => [kind, t(kind)])}
          onChange={({ target }) => {
            const kind = kinds.find((each) => each === target.value) ?? 'pathSegment';
            setType(kind);
            setValue(kind === 'pathSegment' ? '1' : '');
          }}
        />
        <TextField
          label={t(`value_${type}`)}
          required
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
        {failure !== null && <FailureNotice error={failure} />}
        {preview.isSuccess && (
          <div aria-live="polite">
            <p>
              {t('tried', { count: preview.data.distinctValues })} {t('triedOf', { number: preview.data.sampleSize })}
            </p>
            <ul className="muted">
              {preview.data.examples.map((example) => (
                <li key={example.value}>{`${example.value}: ${format.number(example.count)}`}</li>
              ))}
            </ul>
          </div>
        )}
        <div className="dialog-actions">
          {type !== 'tag' && (
            <Button isBusy={preview.isPending} onClick={() => preview.mutate()}>
              {t('tryRule')}
            </Button>
          )}
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button type="submit" look="primary" isBusy={save.isPending}>
            {common('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
