import type { ReactElement } from 'react';
import type { components } from '../api/schema.d.ts';
import { Icon } from './icon.tsx';

/** What a file is. */
export type Kind = components['schemas']['Kind'];

const icons = { video: 'video', audio: 'sound', document: 'files' } as const;

/** The icon of a kind of file. */
export function KindIcon({ kind }: { kind: Kind }): ReactElement {
  return <Icon name={icons[kind]} />;
}
