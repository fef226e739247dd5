import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { reachable } from '../../api/delivery.ts';
import { useMe } from '../../api/me.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { QrCode } from '../../ui/qr.tsx';
import { FailureNotice } from '../../ui/states.tsx';
import type { Bucket } from '../buckets/bucket-state.tsx';
import { linkMessages } from './messages.ts';

/** Seconds that links can be made for. */
const lifetimes = { quarter: 900, hour: 3600, day: 86_400, week: 604_800 } as const;
const lifetimeNames = ['quarter', 'hour', 'day', 'week'] as const;
type Lifetime = keyof typeof lifetimes | 'byDefault';

/** Makes a link to a file: to the object, or else to the path that is typed. */
export function SignForm({ bucket, objectId }: { bucket: Bucket; objectId?: string }): ReactElement {
  const t = useMessages(linkMessages);
  const format = useFormat();
  const plain = useMe()?.plainDelivery ?? null;
  const [key, setKey] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('byDefault');
  const [ip, setIp] = useState('');
  const [hostname, setHostname] = useState('');
  const { linkTtlSeconds } = bucket.delivery;
  const standard = lifetimeNames.find((name) => lifetimes[name] === linkTtlSeconds);
  const isPrivate = bucket.visibility === 'private';
  const domains = useQuery({
    queryKey: ['domains', bucket.id],
    queryFn: () => answered(api.GET('/api/content/v1/domains', { params: { query: { bucketId: bucket.id } } })),
  });
  const hostnames = [
    bucket.defaultHostname,
    ...(domains.data?.items ?? []).filter(({ state }) => state === 'active').map(({ hostname: name }) => name),
  ];
  const sign = useMutation({
    mutationFn: () =>
      answered(
        api.POST('/api/content/v1/sign', {
          body: {
            bucketId: bucket.id,
            ...(objectId === undefined ? { key } : { objectId }),
            ...(isPrivate && lifetime !== 'byDefault' && { ttlSeconds: lifetimes[lifetime] }),
            ...(isPrivate && bucket.delivery.ipBinding && { ip }),
            ...(hostname !== '' && { hostname }),
          },
        }),
      ),
  });
  return (
    <form
      className="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!sign.isPending) sign.mutate();
      }}
    >
      <h2>{t('title')}</h2>
      {objectId === undefined && (
        <TextField
          label={t('key')}
          hint={t('keyHint')}
          required
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
      )}
      {isPrivate && (
        <SelectField
          label={t('lifetime')}
          value={lifetime}
          options={[
            [
              'byDefault',
              t('byDefault', { time: standard === undefined ? format.clock(linkTtlSeconds) : t(standard) }),
            ],
            ...lifetimeNames.map((name) => [name, t(name)] as const),
          ]}
          onChange={({ target }) => setLifetime(target.value as Lifetime)}
        />
      )}
      {isPrivate && bucket.delivery.ipBinding && (
        <TextField
          label={t('ip')}
          hint={t('ipHint')}
          required
          inputMode="decimal"
          value={ip}
          onChange={({ target }) => setIp(target.value)}
        />
      )}
      {hostnames.length > 1 && (
        <SelectField
          label={t('hostname')}
          value={hostname}
          options={hostnames.map((name, index) => [index === 0 ? '' : name, name])}
          onChange={({ target }) => setHostname(target.value)}
        />
      )}
      <div className="actions">
        <Button type="submit" look="primary" icon="link" isBusy={sign.isPending}>
          {t('make')}
        </Button>
      </div>
      {sign.isError && <FailureNotice error={sign.error} />}
      {sign.isSuccess && (
        <div className="stack" aria-live="polite">
          <CopyField
            key={sign.data.url}
            label={t('link')}
            value={sign.data.url}
            hint={
              sign.data.expiresAt === null ? t('forever') : t('expires', { time: format.time(sign.data.expiresAt) })
            }
          />
          <QrCode text={sign.data.url} label={t('qr')} />
          <a href={reachable(sign.data.url, plain)} target="_blank" rel="noreferrer">
            {t('open')}
          </a>
        </div>
      )}
    </form>
  );
}
