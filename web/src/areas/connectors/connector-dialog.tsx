import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { asFailure } from '../../api/failure.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { DialogForm } from '../../ui/dialog-form.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import { configFields, formOf, inputOf, newForm, type ConfigField, type ConnectorForm } from './input.ts';
import { connectorMessages } from './messages.ts';
import type { Connector } from './state.tsx';

const kinds = ['s3', 'azure_blob', 'canvas'] as const;
const addresses: readonly ConfigField[] = ['endpoint', 'blobService', 'baseUrl'];

/** What a field of the form may be left without. */
const mayBeEmpty: readonly ConfigField[] = ['prefix'];

async function askForSync({ connectorId }: Connector): Promise<void> {
  await answered(api.POST('/api/content/v1/connectors/{connectorId}/sync', { params: { path: { connectorId } } }));
}

/** Makes a connector, or changes one. `onDone` gets it as it is then. */
export function ConnectorDialog({
  connector,
  onDone,
  onClose,
}: {
  connector?: Connector;
  onDone: (connector: Connector) => void;
  onClose: () => void;
}): ReactElement {
  const t = useMessages(connectorMessages);
  const queries = useQueryClient();
  const [form, setForm] = useState<ConnectorForm>(connector === undefined ? newForm : formOf(connector));
  const [isSynced, setSynced] = useState(connector === undefined);
  const change = (changed: Partial<ConnectorForm>): void => setForm((before) => ({ ...before, ...changed }));
  const save = useMutation({
    mutationFn: async (): Promise<Connector> => {
      const body = inputOf(form);
      const saved =
        connector === undefined
          ? await answered(api.POST('/api/content/v1/connectors', { body }))
          : await answered(
              api.PUT('/api/content/v1/connectors/{connectorId}', {
                params: { path: { connectorId: connector.connectorId } },
                body,
              }),
            );
      // The connector is saved: that its sync could not be asked for must not look as if it were not.
      if (isSynced && saved.enabled) await askForSync(saved).catch((error: unknown) => toast(asFailure(error).message));
      return saved;
    },
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: ['connectors'] });
      onDone(saved);
    },
  });
  const failure = save.error === null ? null : asFailure(save.error);
  /** What the API found wrong with a field, for those that the form shows by themselves. */
  const fault = (field: string): { fault: string } | undefined =>
    failure?.field?.split('.').at(-1) === field ? { fault: failure.message } : undefined;
  const { kind, config } = form;
  return (
    <Dialog title={connector === undefined ? t('create') : t('edit')} onClose={onClose}>
      <DialogForm
        submit={connector === undefined ? t('create') : t('save')}
        isBusy={save.isPending}
        error={save.error}
        onSubmit={() => save.mutate()}
        onClose={onClose}
      >
        <SelectField
          label={t('kind')}
          value={kind}
          options={kinds.map((name) => [name, t(name)] as const)}
          onChange={({ target }) => change({ kind: kinds.find((name) => name === target.value) ?? 's3' })}
        />
        <TextField
          label={t('name')}
          required
          autoFocus
          maxLength={200}
          value={form.name}
          onChange={({ target }) => change({ name: target.value })}
          {...fault('name')}
        />
        {configFields[kind].map((field) => (
          <TextField
            key={field}
            label={t(field)}
            hint={t(`${field}Hint`)}
            type={addresses.includes(field) ? 'url' : 'text'}
            required={!mayBeEmpty.includes(field)}
            autoComplete="off"
            spellCheck={false}
            value={config[field] ?? ''}
            onChange={({ target }) => change({ config: { ...config, [field]: target.value } })}
            {...fault(field)}
          />
        ))}
        <TextField
          label={t(`credential_${kind}`)}
          hint={connector?.credentialSet === true ? t('credentialKept') : t(`credentialHint_${kind}`)}
          type="password"
          autoComplete="new-password"
          value={form.credential}
          onChange={({ target }) => change({ credential: target.value })}
          {...fault('credential')}
        />
        <SelectField
          label={t('schedule')}
          value={form.schedule}
          options={[
            ['nightly', t('nightly')],
            ['manual', t('manual')],
          ]}
          onChange={({ target }) => change({ schedule: target.value === 'manual' ? 'manual' : 'nightly' })}
        />
        <SelectField
          label={t('access')}
          hint={t(kind === 'canvas' ? 'accessCanvas' : 'accessBucket')}
          value={form.defaultAclMode}
          options={[
            ['restricted', t('restricted')],
            ['open', t('open')],
          ]}
          onChange={({ target }) => change({ defaultAclMode: target.value === 'open' ? 'open' : 'restricted' })}
        />
        <SelectField
          label={t('frames')}
          value={String(form.extractContentFromVideoFrames)}
          options={[
            ['null', t('framesInherited')],
            ['true', t('yes')],
            ['false', t('no')],
          ]}
          onChange={({ target: { value } }) =>
            change({ extractContentFromVideoFrames: value === 'null' ? null : value === 'true' })
          }
        />
        <CheckField label={t('syncAtOnce')} checked={isSynced} onChange={({ target }) => setSynced(target.checked)} />
      </DialogForm>
    </Dialog>
  );
}
