import { useState, type ReactNode, type SubmitEvent, type SubmitEventHandler } from 'react'
import { focusFirstFault } from './focus-fault.ts'
import { FaultsProvider, findFaults, type Faults } from './form-faults.ts'

type Props = {
  readonly onSubmit: SubmitEventHandler<HTMLFormElement>
  /** Further checks of the form, besides those of its fields. They show their errors, and return whether all is well. */
  readonly check?: (() => boolean) | undefined
  readonly className?: string
  readonly children: ReactNode
}

/**
 * Every form of the console is one of these. It shows an error at each field, where a browser would show one bubble at the
 * first. It sends nothing until there is no error. A shown error goes once its field is right. No new error appears while
 * the user types.
 */
export function Form({ onSubmit, check, className, children }: Props) {
  const [faults, setFaults] = useState<Faults>({})
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const found = findFaults(form)
    setFaults(found)
    const isRight = check?.() ?? true
    if (isRight && Object.keys(found).length === 0) onSubmit(event)
    else focusFirstFault(form)
  }
  const forget = (form: HTMLFormElement) => {
    if (Object.keys(faults).length === 0) return
    const left = Object.entries(findFaults(form)).filter(([name]) => name in faults)
    setFaults(Object.fromEntries(left))
  }
  return (
    <FaultsProvider value={faults}>
      <form
        noValidate
        className={className}
        onSubmit={submit}
        onInput={(event) => forget(event.currentTarget)}
      >
        {children}
      </form>
    </FaultsProvider>
  )
}
