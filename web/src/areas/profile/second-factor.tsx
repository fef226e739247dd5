import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { answered, api } from '../../api/client.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { peopleMessages } from '../people/messages.ts';
import { profileMessages } from './messages.ts';
import { ProofForm } from './proof-form.tsx';

const path = '/api/dashboard/profile/second-factor';
type Step =
  | { name: 'none' }
  | { name: 'password' }
  | { name: 'app'; secret: string; address: string }
  | { name: 'codes'; codes: readonly string[] }
  | { name: 'replace' }
  | { name: 'remove' };

/** Turns the second factor on and off, and makes recovery codes. */
export function SecondFactor({ isOn, codesLeft }: { isOn: boolean; codesLeft: number }): ReactElement {
  const t = useMessages(profileMessages);
  const names = useMessages(peopleMessages);
  const queries = useQueryClient();
  const [step, setStep] = useState<Step>({ name: 'none' });
  const close = (): void => setStep({ name: 'none' });
  const changed = (): Promise<void> => queries.invalidateQueries({ queryKey: ['profile'] });
  return (
    <section className="card stack">
      <div className="page-head">
        <h2>{t('factor')}</h2>
        <Badge tone={isOn ? 'good' : 'plain'}>{isOn ? names('on') : names('off')}</Badge>
      </div>
      <p>{isOn ? t('factorOn', { count: codesLeft }) : t('factorOff')}</p>
      <div className="actions">
        {!isOn && <Button onClick={() => setStep({ name: 'password' })}>{t('begin')}</Button>}
        {isOn && <Button onClick={() => setStep({ name: 'replace' })}>{t('newCodes')}</Button>}
        {isOn && (
          <Button look="danger" onClick={() => setStep({ name: 'remove' })}>
            {t('turnOff')}
          </Button>
        )}
      </div>
      {step.name !== 'none' && (
        <Dialog title={step.name === 'codes' ? t('codes') : t('factor')} onClose={close}>
          {step.name === 'password' && (
            <ProofForm
              asks={['password']}
              action={t('begin')}
              onProof={async ({ password }) => {
                const begun = await answered(api.POST(path, { body: { password } }));
                setStep({ name: 'app', ...begun });
              }}
              onClose={close}
            />
          )}
          {step.name === 'app' && (
            <div className="stack">
              <p>{t('scan')}</p>
              <CopyField label={t('secret')} value={step.secret} />
              <CopyField label={t('address')} value={step.address} />
              <ProofForm
                asks={['code']}
                action={t('confirm')}
                onProof={async ({ code }) => {
                  const { recoveryCodes } = await answered(api.POST(`${path}/confirmation`, { body: { code } }));
                  setStep({ name: 'codes', codes: recoveryCodes });
                  await changed();
                }}
                onClose={close}
              />
            </div>
          )}
          {step.name === 'codes' && (
            <div className="stack">
              <p>{t('codesText')}</p>
              <ol className="stack">
                {step.codes.map((code) => (
                  <li key={code}>
                    <code>{code}</code>
                  </li>
                ))}
              </ol>
              <div className="dialog-actions">
                <Button look="primary" onClick={close}>
                  {t('kept')}
                </Button>
              </div>
            </div>
          )}
          {step.name === 'replace' && (
            <ProofForm
              asks={['password', 'anyCode']}
              action={t('newCodes')}
              onProof={async (proof) => {
                const { recoveryCodes } = await answered(api.POST(`${path}/recovery-codes`, { body: proof }));
                setStep({ name: 'codes', codes: recoveryCodes });
                await changed();
              }}
              onClose={close}
            />
          )}
          {step.name === 'remove' && (
            <ProofForm
              asks={['password', 'anyCode']}
              action={t('turnOff')}
              onProof={async (proof) => {
                await answered(api.POST(`${path}/removal`, { body: proof }));
                toast(t('turnedOff'));
                close();
                await changed();
              }}
              onClose={close}
            />
          )}
        </Dialog>
      )}
    </section>
  );
}
