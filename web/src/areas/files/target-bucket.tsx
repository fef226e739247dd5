import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { includesRole, useMe } from '../../api/me.ts';
import { useMessages } from '../../i18n/messages.ts';
import { SelectField } from '../../ui/field.tsx';
import { fileMessages } from './messages.ts';
import { takingBuckets } from './send.ts';

/** Where this browser keeps which bucket was chosen last. */
const storageKey = 'ply.files.bucket';

/** Where new files of this page go. */
export interface Target {
  /** The bucket: while buckets are not loaded, the one that was chosen; null where there is none. */
  bucketId: string | null;
  /** Buckets that can be chosen. */
  taking: readonly components['schemas']['Bucket'][];
  /** Whether somebody else has to make a bucket first. Admins need none: their first upload makes one. */
  isLacking: boolean;
  choose: (bucketId: string) => void;
}

/** Where new files go: into the bucket that was chosen last in this browser, else the oldest. */
export function useTarget(): Target {
  const role = useMe()?.role ?? 'reader';
  const [chosenId, setChosen] = useState(() => localStorage.getItem(storageKey));
  const { data } = useQuery({
    queryKey: ['buckets'],
    enabled: includesRole(role, 'editor'),
    queryFn: () => answered(api.GET('/api/content/v1/buckets')),
  });
  const taking = takingBuckets(data?.items ?? []);
  return {
    // A file that is dropped before the buckets are loaded goes where it was chosen, too.
    bucketId: data === undefined ? chosenId : ((taking.find(({ id }) => id === chosenId) ?? taking[0])?.id ?? null),
    taking,
    isLacking: data !== undefined && taking.length === 0 && !includesRole(role, 'admin'),
    choose: (bucketId) => {
      localStorage.setItem(storageKey, bucketId);
      setChosen(bucketId);
    },
  };
}

/** Says which bucket new files go into, and lets one choose where there are several. */
export function TargetBucket({ bucketId, taking, choose }: Target): ReactElement | null {
  const t = useMessages(fileMessages);
  const [first] = taking;
  if (first === undefined || bucketId === null) return null;
  return taking.length === 1 ? (
    <p className="muted">
      {t('target')}{' '}
      <Link to="/buckets/$bucketId" params={{ bucketId }}>
        {first.name}
      </Link>
    </p>
  ) : (
    <SelectField
      label={t('target')}
      value={bucketId}
      options={taking.map(({ id, name }): [string, string] => [id, name])}
      onChange={({ target }) => choose(target.value)}
    />
  );
}
