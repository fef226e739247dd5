import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FailureNotice } from '../../ui/states.tsx';
import { bucketMessages } from './messages.ts';

/** Name and place of a new bucket or library. */
export interface Place {
  name: string;
  region: string;
  strictResidency: boolean;
}

/** What the fields begin with: the first region is chosen when the regions are known. */
export const emptyPlace: Place = { name: '', region: '', strictResidency: false };

/** A value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), 250);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Fields for the name, which is checked while it is typed, and the region of a new bucket or library. */
export function PlaceFields({ place, onChange }: { place: Place; onChange: (place: Place) => void }): ReactElement {
  const t = useMessages(bucketMessages);
  const asked = useSettled(place.name);
  const check = useQuery({
    queryKey: ['bucket-name', asked],
    enabled: asked !== '' && asked.length <= 100,
    queryFn: () => answered(api.GET('/api/content/v1/bucket-names', { params: { query: { name: asked } } })),
    staleTime: 5000,
  });
  const regions = useQuery({
    queryKey: ['regions'],
    queryFn: () => answered(api.GET('/api/content/v1/regions')),
    staleTime: 600_000,
  });
  const known = regions.data?.items ?? [];
  const region = known.find(({ code }) => code === place.region) ?? known[0];
  useEffect(() => {
    if (region !== undefined && region.code !== place.region) onChange({ ...place, region: region.code });
  }, [region, place, onChange]);
  const found = check.data?.name === place.name ? check.data : undefined;
  const reason = place.name.length > 100 ? 'invalid' : found?.reason;
  const hostname = found?.available === true ? found.hostname : null;
  return (
    <>
      <TextField
        label={t('name')}
        hint={hostname === null ? t('nameHint') : t('free', { hostname })}
        fault={reason === undefined || reason === null ? null : t(reason)}
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        value={place.name}
        onChange={({ target }) => onChange({ ...place, name: target.value })}
      />
      {regions.isError && <FailureNotice error={regions.error} onRetry={() => void regions.refetch()} />}
      <SelectField
        label={t('region')}
        hint={t('regionHint')}
        value={place.region}
        options={known.map(({ code, name }) => [code, `${name} (${code})`])}
        onChange={({ target }) => onChange({ ...place, region: target.value, strictResidency: false })}
      />
      {region?.strictCapable === false ? (
        <p className="muted">{t('strictNo')}</p>
      ) : (
        <CheckField
          label={t('strict')}
          checked={place.strictResidency}
          onChange={({ target }) => onChange({ ...place, strictResidency: target.checked })}
        />
      )}
    </>
  );
}
