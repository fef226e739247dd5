import { useState, type ReactElement } from 'react';
import { useMessages } from '../../i18n/messages.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FailureNotice } from '../../ui/states.tsx';
import { organizationMessages } from './messages.ts';

/** What people write about an organization. */
export interface OrganizationFields {
  name: string;
  contactEmail: string | null;
  description: string | null;
}

interface Props {
  given?: OrganizationFields;
  action: string;
  isBusy: boolean;
  error: unknown;
  onSave: (fields: OrganizationFields) => void;
}

/** Name, contact address and description of an organization. */
export function OrganizationForm({ given, action, isBusy, error, onSave }: Props): ReactElement {
  const t = useMessages(organizationMessages);
  const [name, setName] = useState(given?.name ?? '');
  const [contact, setContact] = useState(given?.contactEmail ?? '');
  const [description, setDescription] = useState(given?.description ?? '');
  const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSave({ name: name.trim(), contactEmail: orNull(contact), description: orNull(description) });
      }}
    >
      <TextField
        label={t('name')}
        required
        maxLength={255}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label={t('contact')}
        type="email"
        value={contact}
        onChange={({ target }) => setContact(target.value)}
      />
      <TextField
        label={t('description')}
        maxLength={2000}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      {error !== null && error !== undefined && <FailureNotice error={error} />}
      <div className="actions">
        <Button type="submit" look="primary" isBusy={isBusy}>
          {action}
        </Button>
      </div>
    </form>
  );
}
