import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { includesRole, useMe } from '../../api/me.ts';
import { useFormat } from '../../i18n/format.ts';
import type { Format } from '../../i18n/formats.ts';
import { useMessages } from '../../i18n/messages.ts';
import { SettingList, type SettingItem } from '../../ui/setting-list.tsx';
import { ValueDialog, type ValueInput } from '../../ui/value-dialog.tsx';
import { useBucket, type Bucket } from './bucket-state.tsx';
import { CacheRules } from './cache-rules.tsx';
import { useSaveBucket } from './save-bucket.ts';
import { bucketSettingMessages } from './setting-messages.ts';
import { settingGroups, type BucketSetting } from './setting-rows.ts';

const route = getRouteApi('/shell/buckets/$bucketId');

/** The settings of a bucket, by what they are for. */
export function BucketSettings(): ReactElement | null {
  const t = useMessages(bucketSettingMessages);
  const format = useFormat();
  const me = useMe();
  const { bucketId } = route.useParams();
  const bucket = useBucket(bucketId).data;
  const [changing, setChanging] = useState<BucketSetting | null>(null);
  const [editsRules, setEditsRules] = useState(false);
  if (bucket === undefined) return null;
  const isAllowed = me !== undefined && includesRole(me.role, 'admin') && bucket.state === 'active';
  return (
    <>
      {settingGroups.map(({ name: group, rows }) => {
        const shown = rows.filter(({ isForFiles }) => isForFiles !== true || bucket.kind === 'files');
        const items: SettingItem[] = shown.map((row) => ({
          id: row.name,
          title: t(row.name),
          hint: t(`${row.name}Hint`),
          value: valueOf(row, bucket, t, format),
        }));
        if (group === 'cache')
          items.push({
            id: 'rules',
            title: t('rules'),
            hint: t('rulesHint'),
            value:
              bucket.cache.rules.length === 0 ? t('nothing') : t('ruleCount', { count: bucket.cache.rules.length }),
          });
        return (
          <section className="card stack" key={group}>
            <h2>{t(group)}</h2>
            <SettingList
              change={t('change')}
              items={items}
              onChange={
                isAllowed
                  ? (id) =>
                      id === 'rules' ? setEditsRules(true) : setChanging(shown.find(({ name }) => name === id) ?? null)
                  : null
              }
            />
          </section>
        );
      })}
      {changing !== null && <Change row={changing} bucket={bucket} onClose={() => setChanging(null)} />}
      {editsRules && <CacheRules bucket={bucket} onClose={() => setEditsRules(false)} />}
    </>
  );
}

type Translate = ReturnType<typeof useMessages<(typeof bucketSettingMessages)['en']>>;

function valueOf({ name, kind, read }: BucketSetting, bucket: Bucket, t: Translate, format: Format): string {
  const value = read(bucket);
  if (kind === 'flag') return value === 'true' ? t('yes') : t('no');
  if (kind === 'visibility') return bucket.visibility === 'public' ? t('public') : t('private');
  if (value === '') return t(name === 'edgeTtlSeconds' || name === 'browserCacheControl' ? 'byDefault' : 'nothing');
  if (name === 'maxObjectBytes') return format.bytes(Number(value));
  return kind === 'number' ? format.number(Number(value)) : value;
}

function Change({ row, bucket, onClose }: { row: BucketSetting; bucket: Bucket; onClose: () => void }): ReactElement {
  const t = useMessages(bucketSettingMessages);
  const save = useSaveBucket(bucket.id);
  return (
    <ValueDialog
      title={t(row.name)}
      hint={t(`${row.name}Hint`)}
      input={inputOf(row.kind, t)}
      value={row.read(bucket)}
      reset={row.hasDefault ? t('reset') : undefined}
      onSave={(text) => save(row.write(text))}
      onClose={onClose}
    />
  );
}

function inputOf(kind: BucketSetting['kind'], t: Translate): ValueInput {
  const choice = (options: [string, string][]): ValueInput => ({ kind: 'choice', options });
  switch (kind) {
    case 'flag':
      return choice([
        ['true', t('yes')],
        ['false', t('no')],
      ]);
    case 'visibility':
      return choice([
        ['private', t('private')],
        ['public', t('public')],
      ]);
    case 'methods':
      return {
        kind: 'choices',
        options: [
          ['GET', 'GET'],
          ['HEAD', 'HEAD'],
        ],
      };
    case 'lines':
    case 'text':
    case 'number':
      return { kind };
  }
}
