import {
  useId,
  type InputHTMLAttributes,
  type ReactElement,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';

interface Described {
  label: string;
  hint?: string;
  /** What is wrong with the value. */
  fault?: string | null;
}

interface Wiring {
  id: string;
  className: string;
  'aria-invalid': boolean | undefined;
  'aria-describedby': string | undefined;
}

/** A label, its control, a hint and what is wrong, tied together for screen readers. */
function Field({ label, hint, fault, render }: Described & { render: (wiring: Wiring) => ReactElement }): ReactElement {
  const id = useId();
  const hasFault = fault !== undefined && fault !== null;
  const described = [hint !== undefined ? `${id}-hint` : '', hasFault ? `${id}-fault` : ''].filter(
    (name) => name !== '',
  );
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {render({
        id,
        className: 'input',
        'aria-invalid': hasFault || undefined,
        'aria-describedby': described.length > 0 ? described.join(' ') : undefined,
      })}
      {hint !== undefined && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {hasFault && (
        <p className="field-fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

/** One line of text. */
export function TextField({
  label,
  hint,
  fault,
  ...rest
}: Described & InputHTMLAttributes<HTMLInputElement>): ReactElement {
  return <Field {...described(label, hint, fault)} render={(wiring) => <input type="text" {...rest} {...wiring} />} />;
}

/** Several lines of text. */
export function TextArea({
  label,
  hint,
  fault,
  ...rest
}: Described & TextareaHTMLAttributes<HTMLTextAreaElement>): ReactElement {
  return <Field {...described(label, hint, fault)} render={(wiring) => <textarea {...rest} {...wiring} />} />;
}

/** One of several values. */
export function SelectField({
  label,
  hint,
  fault,
  options,
  ...rest
}: Described &
  SelectHTMLAttributes<HTMLSelectElement> & {
    options: readonly (readonly [value: string, shown: string])[];
  }): ReactElement {
  return (
    <Field
      {...described(label, hint, fault)}
      render={(wiring) => (
        <select {...rest} {...wiring}>
          {options.map(([value, shown]) => (
            <option key={value} value={value}>
              {shown}
            </option>
          ))}
        </select>
      )}
    />
  );
}

/** Yes or no. */
export function CheckField({
  label,
  ...rest
}: { label: string } & InputHTMLAttributes<HTMLInputElement>): ReactElement {
  return (
    <label className="check">
      <input type="checkbox" {...rest} />
      {label}
    </label>
  );
}

function described(label: string, hint: string | undefined, fault: string | null | undefined): Described {
  return { label, ...(hint === undefined ? {} : { hint }), ...(fault === undefined ? {} : { fault }) };
}
