import { PasswordInput, TextInput, type PasswordInputProps, type TextInputProps } from '@mantine/core'
import { inWordsOfForm, useFieldFault } from './form-faults.ts'

/** A field of a form. `name`: its name in the form. `label`: its name for people. */
type Named<Props> = Omit<Props, 'name' | 'label'> & { readonly name: string; readonly label: string }

/** A text input. Below it stands an error that the form or the api found. */
export function TextField({ error, ...props }: Named<TextInputProps>) {
  return <TextInput {...props} error={useError(props, error)} />
}

/** Like TextField, but the text is hidden while it is typed. */
export function PasswordField({ error, ...props }: Named<PasswordInputProps>) {
  const shown = useError(props, error)
  return <PasswordInput {...props} error={shown} aria-invalid={Boolean(shown)} />
}

function useError({ name, label }: { name: string; label: string }, error: TextInputProps['error']) {
  const fault = useFieldFault(name, label)
  return fault ?? (typeof error === 'string' ? inWordsOfForm(error, label) : error)
}
