import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { FailureNotice, Skeletons } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { inOwnOrganization } from './in-own.ts';
import { organizationMessages } from './messages.ts';
import { OrganizationForm } from './organization-form.tsx';

/** The account's own organization: its name, and what the operator has set. */
export function OwnOrganization(): ReactElement {
  const t = useMessages(organizationMessages);
  const queries = useQueryClient();
  const own = useQuery({
    queryKey: ['organization'],
    queryFn: () => answered(api.GET('/api/dashboard/organization', inOwnOrganization())),
  });
  const save = useMutation({
    mutationFn: (body: { name: string; contactEmail: string | null; description: string | null }) =>
      answered(api.PATCH('/api/dashboard/organization', { ...inOwnOrganization(), body })),
    onSuccess: async ({ name }) => {
      toast(t('saved', { name }));
      await queries.invalidateQueries({ queryKey: ['organization'] });
    },
  });
  return (
    <section className="card stack">
      <h2>{t('own')}</h2>
      {own.isPending && <Skeletons />}
      {own.isError && <FailureNotice error={own.error} onRetry={() => void own.refetch()} />}
      {own.data !== undefined && (
        <>
          <dl className="facts">
            <dt>{t('plan')}</dt>
            <dd>{own.data.plan ?? t('noPlan')}</dd>
            <dt>{t('timeZone')}</dt>
            <dd>{own.data.timeZone}</dd>
            <dt>{t('currency')}</dt>
            <dd>{own.data.currency ?? '–'}</dd>
          </dl>
          <OrganizationForm
            key={own.data.updatedAt}
            given={own.data}
            action={t('save')}
            isBusy={save.isPending}
            error={save.error}
            onSave={(fields) => save.mutate(fields)}
          />
        </>
      )}
    </section>
  );
}
