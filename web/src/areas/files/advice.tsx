import type { ReactElement } from 'react';
import { useMessages } from '../../i18n/messages.ts';
import { adviceMessages } from './advice-messages.ts';

type Code = keyof typeof adviceMessages.en;

function isKnown(code: string): code is Code {
  return Object.hasOwn(adviceMessages.en, code);
}

/** What to do about the error code of a job, or of a file of a connector. */
export function JobAdvice({ code }: { code: string }): ReactElement {
  const t = useMessages(adviceMessages);
  return <>{t(isKnown(code) ? code : 'other')}</>;
}
