import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { includesRole, useMe } from '../../api/me.ts';
import type { paths } from '../../api/schema.d.ts';
import { useFormat } from '../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { SettingList } from '../../ui/setting-list.tsx';
import { Badge, FailureNotice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { entriesOf, ValueDialog, type ValueInput } from '../../ui/value-dialog.tsx';
import { videoMessages } from './messages.ts';
import { useLibrary, type Library } from './video-state.tsx';

type LibraryChange = NonNullable<
  paths['/api/content/v1/libraries/{libraryId}']['patch']['requestBody']
>['content']['application/json'];

const route = getRouteApi('/shell/libraries/$libraryId');
const names = ['ladder', 'keepOriginal', 'download', 'thumbnails'] as const;
type Name = (typeof names)[number];
const heights = [240, 360, 480, 720, 1080, 1440, 2160] as const;

/** How a library encodes: each value with where it comes from. */
export function LibrarySettings(): ReactElement | null {
  const t = useMessages(videoMessages);
  const format = useFormat();
  const queries = useQueryClient();
  const me = useMe();
  const { libraryId } = route.useParams();
  const library = useLibrary(libraryId).data;
  const [changing, setChanging] = useState<Name | 'maxObjectBytes' | null>(null);
  const save = useMutation({
    mutationFn: (body: LibraryChange) =>
      answered(api.PATCH('/api/content/v1/libraries/{libraryId}', { params: { path: { libraryId } }, body })),
    onSuccess: (changed) => {
      toast(t('saved'));
      queries.setQueryData(['library', libraryId], changed);
    },
  });
  if (library === undefined) return null;
  const isAllowed = me !== undefined && includesRole(me.role, 'admin') && library.state === 'active';
  const { processing, processingOrigins: origins, uploadRules } = library;
  const shown = (name: Name): string =>
    name === 'ladder' ? processing.ladder.join(', ') : processing[name] ? t('yes') : t('no');
  return (
    <section className="card stack">
      <h2>{t('processing')}</h2>
      <p className="muted">{t('processingText')}</p>
      <SettingList
        change={t('change')}
        items={[
          ...names.map((name) => ({
            id: name,
            title: t(name),
            hint: t(`${name}Hint`),
            value: shown(name),
            origin: <Badge tone={origins[name] === 'library' ? 'good' : 'plain'}>{t(`origin_${origins[name]}`)}</Badge>,
          })),
          {
            id: 'maxObjectBytes',
            title: t('maxObjectBytes'),
            hint: t('maxObjectBytesHint'),
            value: uploadRules.maxObjectBytes === null ? t('nothing') : format.bytes(uploadRules.maxObjectBytes),
          },
        ]}
        onChange={isAllowed ? (id) => setChanging(names.find((name) => name === id) ?? 'maxObjectBytes') : null}
      />
      {isAllowed && !library.usesOrganizationProcessing && (
        <div className="actions">
          <Button isBusy={save.isPending} onClick={() => save.mutate({ processing: null })}>
            {t('followAll')}
          </Button>
        </div>
      )}
      {save.isError && changing === null && <FailureNotice error={save.error} />}
      {changing !== null && (
        <ValueDialog
          title={t(changing)}
          hint={t(`${changing}Hint`)}
          input={inputOf(changing, t)}
          value={valueOf(library, changing)}
          reset={changing === 'maxObjectBytes' ? t('reset') : undefined}
          onSave={(text) => save.mutateAsync(changeOf(changing, text))}
          onClose={() => setChanging(null)}
        />
      )}
    </section>
  );
}

function valueOf({ processing, uploadRules }: Library, name: Name | 'maxObjectBytes'): string {
  if (name === 'maxObjectBytes') return uploadRules.maxObjectBytes === null ? '' : String(uploadRules.maxObjectBytes);
  return name === 'ladder' ? processing.ladder.join(',') : String(processing[name]);
}

function changeOf(name: Name | 'maxObjectBytes', text: string | null): LibraryChange {
  if (name === 'maxObjectBytes') return { maxObjectBytes: text === null ? null : Number(text) };
  if (name !== 'ladder') return { processing: { [name]: text === 'true' } };
  const chosen = entriesOf(text ?? '').map(Number);
  return { processing: { ladder: heights.filter((height) => chosen.includes(height)) } };
}

function inputOf(
  name: Name | 'maxObjectBytes',
  t: ReturnType<typeof useMessages<(typeof videoMessages)['en']>>,
): ValueInput {
  if (name === 'maxObjectBytes') return { kind: 'number' };
  if (name === 'ladder') return { kind: 'choices', options: heights.map((height) => [String(height), String(height)]) };
  return {
    kind: 'choice',
    options: [
      ['true', t('yes')],
      ['false', t('no')],
    ],
  };
}
