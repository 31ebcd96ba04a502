import type { Tone } from './tone.ts'

/** The sign beside the word: who cannot tell the colours apart can tell these. */
const SIGNS: Readonly<Record<Tone, string>> = { good: '✓', warning: '!', bad: '✕', idle: '–', busy: '…' }

/** A state, as a word with a sign and a colour. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className="status" data-tone={tone}>
      <span aria-hidden="true">{SIGNS[tone]}</span> {children}
    </span>
  )
}
