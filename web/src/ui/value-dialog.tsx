import { useMutation } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { DialogForm } from './dialog-form.tsx';
import { CheckField, SelectField, TextArea, TextField } from './field.tsx';

type Options = readonly (readonly [value: string, shown: string])[];
/** How a value is put in. Several choices are a text with commas between them. */
export type ValueInput =
  | { readonly kind: 'text' | 'number' | 'secret' | 'lines' }
  | { readonly kind: 'choice' | 'choices'; readonly options: Options };

interface Props {
  title: string;
  hint?: string;
  input: ValueInput;
  value: string;
  /** The text of the button that brings the default back; left out where there is none to bring back. */
  reset?: string | undefined;
  /** Saves the value, or with null brings the default back. The dialog closes when it is done. */
  onSave: (text: string | null) => Promise<unknown>;
  onClose: () => void;
}

/** The entries of a text with commas between them. */
export function entriesOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Changes one value, which is a text while it is typed. */
export function ValueDialog({ title, hint, input, value, reset, onSave, onClose }: Props): ReactElement {
  const [text, setText] = useState(value);
  const save = useMutation({ mutationFn: onSave, onSuccess: onClose });
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        isBusy={save.isPending}
        error={save.error}
        actions={reset !== undefined && <Button onClick={() => save.mutate(null)}>{reset}</Button>}
        onSubmit={() => save.mutate(text)}
        onClose={onClose}
      >
        <Control title={title} hint={hint} input={input} text={text} setText={setText} />
      </DialogForm>
    </Dialog>
  );
}

function Control({
  title,
  hint,
  input,
  text,
  setText,
}: Pick<Props, 'title' | 'input'> & { hint: string | undefined } & {
  text: string;
  setText: (text: string) => void;
}): ReactElement {
  const field = { label: title, value: text, autoFocus: true, ...(hint === undefined ? {} : { hint }) };
  switch (input.kind) {
    case 'lines':
      return <TextArea {...field} onChange={({ target }) => setText(target.value)} />;
    case 'choice':
      return <SelectField {...field} options={input.options} onChange={({ target }) => setText(target.value)} />;
    case 'choices':
      return (
        <fieldset className="fieldset checks">
          <legend>{title}</legend>
          {hint !== undefined && <p className="field-hint">{hint}</p>}
          {input.options.map(([name, shown]) => (
            <CheckField
              key={name}
              label={shown}
              checked={entriesOf(text).includes(name)}
              onChange={({ target }) => {
                const others = entriesOf(text).filter((each) => each !== name);
                setText((target.checked ? [...others, name] : others).join(','));
              }}
            />
          ))}
        </fieldset>
      );
    case 'text':
    case 'number':
    case 'secret':
      return (
        <TextField
          {...field}
          type={input.kind === 'secret' ? 'password' : input.kind}
          autoComplete="off"
          required
          {...(input.kind === 'number' && { min: 0, step: 'any' })}
          onChange={({ target }) => setText(target.value)}
        />
      );
  }
}
