import { createContext, useContext } from 'react'
import { texts } from './texts.ts'

/** The errors that a browser can find in a field. */
type Fault = 'missing' | 'email' | 'url' | 'other'

export type Faults = Readonly<Record<string, Fault>>

const FaultsContext = createContext<Faults>({})

/** The errors of the surrounding form's fields, by their names. */
export const FaultsProvider = FaultsContext.Provider

/**
 * The errors that the browser finds in the fields of a form, by their names. It applies `required` and `type`, without
 * showing its own bubbles.
 */
export function findFaults(form: HTMLFormElement): Faults {
  const found: Record<string, Fault> = {}
  for (const field of form.elements)
    if ((field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) && field.willValidate)
      if (!field.validity.valid) found[field.name] = faultOf(field)
  return found
}

function faultOf({ validity, type }: HTMLInputElement | HTMLTextAreaElement): Fault {
  if (validity.valueMissing) return 'missing'
  return validity.typeMismatch && (type === 'email' || type === 'url') ? type : 'other'
}

/** The error of a field in words. undefined if there is none, or the user has not tried to submit the form. */
export function useFieldFault(name: string, label: string): string | undefined {
  const fault = useContext(FaultsContext)[name]
  return fault && texts.fieldFaults[fault]({ label })
}

/** The api calls a field by its name on the wire. Beside the field, its label is used instead. */
export const inWordsOfForm = (message: string, label: string): string =>
  message.replace(/^"[a-z_]+[^"]*"/, label)
