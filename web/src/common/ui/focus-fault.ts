/** By then the fields show what was said about them. */
const FOCUS_AFTER_MS = 50

/**
 * Puts the focus on the first field of a form that has a fault, which also brings it into view.
 *
 * @returns what calls it off
 */
export function focusFirstFault(form: Element | null | undefined): () => void {
  const timer = setTimeout(
    () => form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-fault]')?.focus(),
    FOCUS_AFTER_MS,
  )
  return () => clearTimeout(timer)
}
