import type { Tone } from './tone.ts'

/** A state, as a word with a dot of its colour. The word alone says it to who cannot tell the colours apart. */
export function Status({
  tone,
  children,
  isBadge = false,
}: {
  tone: Tone
  children: string
  isBadge?: boolean
}) {
  return (
    <span className="status" data-tone={tone} data-badge={isBadge || undefined}>
      {children}
    </span>
  )
}
