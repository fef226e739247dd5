import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { toast } from '../../ui/toast.tsx';
import { ValueDialog, type ValueInput } from '../../ui/value-dialog.tsx';
import { settingsMessages } from './messages.ts';
import { heights, type SettingRow, type Settings } from './rows.ts';

/** Changes one setting, or lets it be inherited again. */
export function SettingDialog({
  row,
  settings,
  onClose,
}: {
  row: SettingRow;
  settings: Settings;
  onClose: () => void;
}): ReactElement {
  const t = useMessages(settingsMessages);
  const queries = useQueryClient();
  const input = ((): ValueInput => {
    if (row.kind === 'flag')
      return {
        kind: 'choice',
        options: [
          ['true', t('yes')],
          ['false', t('no')],
        ],
      };
    if (row.kind === 'heights')
      return { kind: 'choices', options: heights.map((height) => [String(height), String(height)]) };
    return { kind: row.kind };
  })();
  return (
    <ValueDialog
      title={t(row.name)}
      hint={t(`${row.name}Hint`)}
      input={input}
      value={row.kind === 'secret' ? '' : row.read(settings)}
      reset={row.origin(settings) === 'own' ? t('inherit') : undefined}
      onSave={async (text) => {
        await answered(api.PATCH('/api/content/v1/settings', { body: row.write(text) }));
        toast(t('saved'));
        await queries.invalidateQueries({ queryKey: ['settings'] });
      }}
      onClose={onClose}
    />
  );
}
