/** After this time the fields show their errors. In milliseconds. */
const FOCUS_AFTER_MS = 50

/**
 * Focuses the first field of a form that has an error. That also scrolls the field into view.
 *
 * @returns the function that cancels it
 */
export function focusFirstFault(form: Element | null | undefined): () => void {
  const timer = setTimeout(
    () => form?.querySelector<HTMLElement>('[aria-invalid="true"], [data-fault]')?.focus(),
    FOCUS_AFTER_MS,
  )
  return () => clearTimeout(timer)
}
