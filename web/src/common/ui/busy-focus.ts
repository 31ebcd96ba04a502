/**
 * Gives the focus back to a button that was disabled while its request ran. A browser takes the focus from a disabled button, so
 * that people at the keyboard would begin again at the top of the page. Call it once for a page.
 */
export function keepFocusOfBusyButtons(): void {
  let lost: HTMLButtonElement | undefined
  const onDisabled = (changes: readonly MutationRecord[]) => {
    for (const { target } of changes) {
      if (!(target instanceof HTMLButtonElement)) continue
      if (target.disabled && target === document.activeElement) lost = target
      if (!target.disabled && target === lost && document.activeElement === document.body)
        target.focus({ preventScroll: true })
    }
  }
  new MutationObserver(onDisabled).observe(document.body, { subtree: true, attributeFilter: ['disabled'] })
  // Somebody has moved the focus meanwhile.
  document.addEventListener('focusin', () => (lost = undefined))
  document.addEventListener('pointerdown', () => (lost = undefined))
}
