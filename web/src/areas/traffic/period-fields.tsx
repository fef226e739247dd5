import type { ReactElement } from 'react';
import { useMessages } from '../../i18n/messages.ts';
import { TextField } from '../../ui/field.tsx';
import type { Period } from './asked-period.ts';
import { trafficMessages } from './messages.ts';

/** Fields for both ends of a period. */
export function PeriodFields({
  period,
  onChange,
}: {
  period: Period;
  onChange: (period: Period) => void;
}): ReactElement {
  const t = useMessages(trafficMessages);
  return (
    <>
      <TextField
        label={t('from')}
        type="date"
        max={period.to}
        value={period.from}
        onChange={({ target }) => target.value !== '' && onChange({ ...period, from: target.value })}
      />
      <TextField
        label={t('to')}
        type="date"
        min={period.from}
        value={period.to}
        onChange={({ target }) => target.value !== '' && onChange({ ...period, to: target.value })}
      />
    </>
  );
}
