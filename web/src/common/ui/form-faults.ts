import { createContext, useContext } from 'react'
import { texts } from './texts.ts'

/** What a browser can find wrong with what stands in a field. */
type Fault = 'missing' | 'email' | 'url' | 'other'

export type Faults = Readonly<Record<string, Fault>>

const FaultsContext = createContext<Faults>({})

/** What is wrong with the fields of the form around, by their names. */
export const FaultsProvider = FaultsContext.Provider

/** What the browser finds wrong with the fields of a form, by their names: the rules of `required` and `type`, without its bubbles. */
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

/** What is wrong with a field, in words; undefined while nobody has tried to send the form, and when nothing is. */
export function useFieldFault(name: string, label: string): string | undefined {
  const fault = useContext(FaultsContext)[name]
  return fault && texts.fieldFaults[fault]({ label })
}

/** What the api says of a field calls it by its name on the wire. Beside the field it is called what its label says. */
export const inWordsOfForm = (message: string, label: string): string =>
  message.replace(/^"[a-z_]+[^"]*"/, label)
