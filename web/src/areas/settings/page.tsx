import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { includesRole, useMe } from '../../api/me.ts';
import { useMessages } from '../../i18n/messages.ts';
import { SettingList } from '../../ui/setting-list.tsx';
import { Badge, FailureNotice, PageHead, Skeletons } from '../../ui/states.tsx';
import { settingsMessages } from './messages.ts';
import { contentRows, videoRows, type SettingRow, type Settings } from './rows.ts';
import { SettingDialog } from './setting-dialog.tsx';

/** The organization's settings, with where each value comes from. */
export function SettingsPage(): ReactElement {
  const t = useMessages(settingsMessages);
  const me = useMe();
  const [changing, setChanging] = useState<SettingRow | null>(null);
  const settings = useQuery({ queryKey: ['settings'], queryFn: () => answered(api.GET('/api/content/v1/settings')) });
  const onChange = me !== undefined && includesRole(me.role, 'editor') ? setChanging : null;
  return (
    <div className="page">
      <PageHead title={t('title')}>{t('lead')}</PageHead>
      {settings.isPending && <Skeletons lines={8} />}
      {settings.isError && <FailureNotice error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.data !== undefined && (
        <>
          <Group title={t('content')} rows={contentRows} settings={settings.data} onChange={onChange} />
          {settings.data.allowedHostCeiling.length > 0 && (
            <p className="muted">{t('ceiling', { hosts: settings.data.allowedHostCeiling.join(', ') })}</p>
          )}
          <Group title={t('videos')} rows={videoRows} settings={settings.data} onChange={onChange} />
          {changing !== null && (
            <SettingDialog row={changing} settings={settings.data} onClose={() => setChanging(null)} />
          )}
        </>
      )}
    </div>
  );
}

interface GroupProps {
  title: string;
  rows: readonly SettingRow[];
  settings: Settings;
  /** Null for people who may not change anything. */
  onChange: ((row: SettingRow | null) => void) | null;
}

function Group({ title, rows, settings, onChange }: GroupProps): ReactElement {
  const t = useMessages(settingsMessages);
  const shown = ({ kind, read }: SettingRow): string => {
    const value = read(settings);
    if (kind === 'flag') return value === 'true' ? t('yes') : t('no');
    if (value === '') return t('nothing');
    return kind === 'secret' ? t('isSet') : value;
  };
  return (
    <section className="card stack">
      <h2>{title}</h2>
      <SettingList
        change={t('change')}
        onChange={onChange === null ? null : (id) => onChange(rows.find(({ name }) => name === id) ?? null)}
        items={rows.map((row) => {
          const origin = row.origin(settings);
          return {
            id: row.name,
            title: t(row.name),
            hint: t(`${row.name}Hint`),
            value: shown(row),
            origin: <Badge tone={origin === 'own' ? 'good' : 'plain'}>{t(origin)}</Badge>,
          };
        })}
      />
    </section>
  );
}
