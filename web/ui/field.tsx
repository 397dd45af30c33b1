import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Refusal } from '../kernel/call.ts';
import './field.css';

export interface FieldProps {
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
  type: 'text' | 'email' | 'password' | 'tel' | 'url';
  defaultValue?: string;
  autocomplete?: string;
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  autofocus?: boolean;
  onChange?: JSX.IntrinsicElements['input']['onChange'];
}
export const TextField = ({ label, hint, error, ...more }: TextProps) => (
  <Field {...{ label, hint, error }}>
    {(own) => <input class="input" {...(more as JSX.IntrinsicElements['input'])} {...own} />}
  </Field>
);

interface WordsProps extends Omit<FieldProps, 'children'> {
  value: string;
  onWords: (value: string) => void;
  maxLength: number;
  autofocus?: boolean;
}
/** A few lines of text, which must not stay empty. */
export const WordsField = ({ label, hint, error, onWords, ...more }: WordsProps) => (
  <Field {...{ label, hint, error }}>
    {(own) => (
      <textarea
        class="input"
        rows={2}
        required
        onInput={({ currentTarget }) => onWords(currentTarget.value)}
        {...more}
        {...own}
      />
    )}
  </Field>
);

interface ChoiceProps extends Omit<FieldProps, 'children'> {
  value: string;
  onChoice: (value: string) => void;
  /** What it is when nothing is chosen; undefined: something must be. */
  none: string | undefined;
  choices: readonly { id: number; name: string }[];
}
/** One of a few things, or none. */
export const ChoiceField = ({ label, hint, error, value, onChoice, none, choices }: ChoiceProps) => (
  <Field {...{ label, hint, error }}>
    {(own) => (
      <select class="input" value={value} onChange={({ currentTarget }) => onChoice(currentTarget.value)} {...own}>
        {none !== undefined && <option value="">{none}</option>}
        {choices.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Field>
);

/** The sentence of a refusal that belongs to the field. */
export const errorAt = (refusal: Refusal | undefined, path: string) =>
  refusal?.errors.find((one) => one.path === path)?.message;
