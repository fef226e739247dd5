import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { uiMessages } from '../../ui/messages.ts';
import { FailureNotice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { settingsMessages } from './messages.ts';
import { heights, heightsIn, type SettingRow, type Settings } from './rows.ts';

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
  const common = useMessages(uiMessages);
  const queries = useQueryClient();
  const [text, setText] = useState(row.kind === 'secret' ? '' : row.read(settings));
  const save = useMutation({
    mutationFn: (given: string | null) => answered(api.PATCH('/api/content/v1/settings', { body: row.write(given) })),
    onSuccess: async () => {
      toast(t('saved'));
      await queries.invalidateQueries({ queryKey: ['settings'] });
      onClose();
    },
  });
  const field = { label: t(row.name), hint: t(`${row.name}Hint`), value: text, autoFocus: true };
  return (
    <Dialog title={t(row.name)} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (!save.isPending) save.mutate(text);
        }}
      >
        {row.kind === 'lines' && <TextArea {...field} onChange={({ target }) => setText(target.value)} />}
        {row.kind === 'flag' && (
          <SelectField
            {...field}
            options={[
              ['true', t('yes')],
              ['false', t('no')],
            ]}
            onChange={({ target }) => setText(target.value)}
          />
        )}
        {row.kind === 'heights' && (
          <fieldset className="fieldset">
            <legend>{t(row.name)}</legend>
            {heights.map((height) => (
              <CheckField
                key={height}
                label={String(height)}
                checked={heightsIn(text).includes(height)}
                onChange={({ target }) => {
                  const others = heightsIn(text).filter((each) => each !== height);
                  setText((target.checked ? [...others, height] : others).join(','));
                }}
              />
            ))}
          </fieldset>
        )}
        {(row.kind === 'text' || row.kind === 'number' || row.kind === 'secret') && (
          <TextField
            {...field}
            type={row.kind === 'secret' ? 'password' : row.kind}
            autoComplete="off"
            required
            {...(row.kind === 'number' && { min: 0, step: 'any' })}
            onChange={({ target }) => setText(target.value)}
          />
        )}
        {save.isError && <FailureNotice error={save.error} />}
        <div className="dialog-actions">
          {row.origin(settings) === 'own' && <Button onClick={() => save.mutate(null)}>{t('inherit')}</Button>}
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button type="submit" look="primary" isBusy={save.isPending}>
            {t('save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
