import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Refusal } from '../kernel/call.ts';
import './field.css';

interface FieldProps {
  label: string;
  hint?: string | undefined;
  /** What the server said of this field. */
  error?: string | undefined;
  children: (own: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ComponentChildren;
}
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': note && `${id}-note`, 'aria-invalid': error !== undefined })}
      {note && (
        <p id={`${id}-note`} class={error ? 'error' : 'hint'}>
          {note}
        </p>
      )}
    </div>
  );
}

interface TextProps extends Omit<FieldProps, 'children'> {
  name: string;
  type: 'text' | 'email' | 'password';
  autocomplete?: string;
  required?: boolean;
  autofocus?: boolean;
}
export const TextField = ({ label, hint, error, ...more }: TextProps) => (
  <Field {...{ label, hint, error }}>
    {(own) => <input class="input" {...(more as JSX.IntrinsicElements['input'])} {...own} />}
  </Field>
);

/** The sentence of a refusal that belongs to the field. */
export const errorAt = (refusal: Refusal | undefined, path: string) =>
  refusal?.errors.find((one) => one.path === path)?.message;
