import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { ApiFailure } from '../../api/failure.ts';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { credentialMessages } from './messages.ts';

type Account = components['schemas']['StorageAccount'];
type Region = components['schemas']['Region'];

const queryKey = ['storage-account'];

/** The storage account; null where there is none yet. */
export function useAccount(): UseQueryResult<Account | null> {
  return useQuery({
    queryKey,
    queryFn: () =>
      answered(api.GET('/api/content/v1/storage-account')).catch((error: unknown) => {
        if (error instanceof ApiFailure && error.code === 'storage_account_not_found') return null;
        throw error;
      }),
  });
}

/** The regions that are open. */
export function useRegions(): readonly Region[] {
  const regions = useQuery({
    queryKey: ['regions'],
    queryFn: () => answered(api.GET('/api/content/v1/regions')),
    staleTime: 600_000,
  });
  return regions.data?.items ?? [];
}

/** The storage account that Blob tools reach buckets through, or the form that creates it. */
export function AccountCard(): ReactElement {
  const t = useMessages(credentialMessages);
  const account = useAccount();
  return (
    <section className="card stack">
      <h2>{t('account')}</h2>
      <p className="muted">{t('accountText')}</p>
      {account.isPending && <Skeletons lines={2} />}
      {account.isError && <FailureNotice error={account.error} onRetry={() => void account.refetch()} />}
      {account.data === null && <NewAccount />}
      {account.data !== undefined && account.data !== null && <Known account={account.data} />}
    </section>
  );
}

function Known({ account }: { account: Account }): ReactElement {
  const t = useMessages(credentialMessages);
  const queries = useQueryClient();
  const regions = useRegions();
  const change = useMutation({
    mutationFn: (homeRegion: string) =>
      answered(api.PATCH('/api/content/v1/storage-account', { body: { homeRegion } })),
    onSuccess: (changed) => {
      toast(t('changed'));
      queries.setQueryData(queryKey, changed);
    },
  });
  return (
    <>
      <dl className="facts">
        <dt>{t('accountName')}</dt>
        <dd>{account.name}</dd>
        <dt>{t('dns')}</dt>
        <dd>{t(`dns_${account.dnsState}`)}</dd>
      </dl>
      <CopyField label={t('endpoint')} value={account.blobEndpoint} />
      <SelectField
        label={t('homeRegion')}
        value={account.homeRegion}
        options={regions.map(({ code, name }) => [code, name])}
        onChange={({ target }) => change.mutate(target.value)}
      />
      {change.isError && <FailureNotice error={change.error} />}
    </>
  );
}

function NewAccount(): ReactElement {
  const t = useMessages(credentialMessages);
  const queries = useQueryClient();
  const regions = useRegions();
  const [name, setName] = useState('');
  const [homeRegion, setHomeRegion] = useState('');
  const create = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/content/v1/storage-account', {
          body: { name, homeRegion: homeRegion === '' ? (regions[0]?.code ?? '') : homeRegion },
        }),
      ),
    onSuccess: (created) => {
      toast(t('accountCreated'));
      queries.setQueryData(queryKey, created);
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!create.isPending) create.mutate();
      }}
    >
      <TextField
        label={t('accountName')}
        hint={t('accountHint')}
        required
        autoComplete="off"
        spellCheck={false}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <SelectField
        label={t('homeRegion')}
        value={homeRegion}
        options={regions.map(({ code, name: shown }) => [code, shown])}
        onChange={({ target }) => setHomeRegion(target.value)}
      />
      {create.isError && <FailureNotice error={create.error} />}
      <div className="actions">
        <Button type="submit" isBusy={create.isPending}>
          {t('accountCreate')}
        </Button>
      </div>
    </form>
  );
}
