import type { ReactElement } from 'react';
import { useMessages } from '../../i18n/messages.ts';
import { PageHead } from '../../ui/states.tsx';
import { Boosts } from './boosts.tsx';
import { tuningMessages } from './messages.ts';
import { Pins } from './pins.tsx';
import { Synonyms } from './synonyms.tsx';
import { Trial } from './trial.tsx';
import './tuning.css';

/** Synonyms, boosts and pins, beside what they do to a query. */
export function TuningPage(): ReactElement {
  const t = useMessages(tuningMessages);
  return (
    <div className="page">
      <PageHead title={t('title')}>{t('lead')}</PageHead>
      <Trial />
      <Synonyms />
      <Boosts />
      <Pins />
    </div>
  );
}
