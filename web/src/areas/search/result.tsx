import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { components } from '../../api/schema.d.ts';
import { useMessages } from '../../i18n/messages.ts';
import { KindIcon } from '../../ui/kind.tsx';
import { Badge } from '../../ui/states.tsx';
import { Marked } from '../../ui/marked.tsx';
import { addressOf } from '../viewer/address.ts';
import { viewerMessages } from '../viewer/messages.ts';
import { placeName } from '../viewer/place.ts';
import { searchMessages } from './messages.ts';
import { readingOf } from './query.ts';
import type { Asked } from './routes.ts';

const tones = { high: 'good', moderate: 'plain', low: 'warn' } as const;

/** A passage that was found: its words, where it stands, how well it fits and why. It opens its file at the place. */
export function Result({ item, asked }: { item: components['schemas']['SearchItem']; asked: Asked }): ReactElement {
  const t = useMessages(searchMessages);
  const places = useMessages(viewerMessages);
  const { assetId, filename, kind, snippet, highlights, location, confidence, matchType } = item;
  const place = placeName(location, places);
  return (
    <li className="result">
      <h2>
        <KindIcon kind={kind} />
        <Link
          to="/files/$assetId"
          params={{ assetId }}
          search={{ ...addressOf(location), ...readingOf(asked) }}
          data-result
        >
          {filename}
        </Link>
        {place !== null && <span className="result-place numeric">{place}</span>}
      </h2>
      <p>
        <Marked text={snippet} ranges={highlights} />
      </p>
      <p className="result-why">
        <Badge tone={tones[confidence]}>{t(confidence)}</Badge> {t(matchType)}
      </p>
    </li>
  );
}
