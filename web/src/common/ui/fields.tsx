import { PasswordInput, TextInput, type PasswordInputProps, type TextInputProps } from '@mantine/core'
import { inWordsOfForm, useFieldFault } from './form-faults.ts'

/** What a field of a form has: the name by which the form knows it, and the label by which people do. */
type Named<Props> = Omit<Props, 'name' | 'label'> & { readonly name: string; readonly label: string }

/** A line of text in a form: below it stands what the form finds wrong with it, or what the api did. */
export function TextField({ error, ...props }: Named<TextInputProps>) {
  return <TextInput {...props} error={useError(props, error)} />
}

/** The same for what is hidden while it is typed. */
export function PasswordField({ error, ...props }: Named<PasswordInputProps>) {
  const shown = useError(props, error)
  return <PasswordInput {...props} error={shown} aria-invalid={Boolean(shown)} />
}

function useError({ name, label }: { name: string; label: string }, error: TextInputProps['error']) {
  const fault = useFieldFault(name, label)
  return fault ?? (typeof error === 'string' ? inWordsOfForm(error, label) : error)
}
