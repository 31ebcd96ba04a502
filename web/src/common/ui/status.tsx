import type { Tone } from './tone.ts'

/** A state: a coloured dot and a word. The word is enough for people who cannot tell the colours apart. */
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
