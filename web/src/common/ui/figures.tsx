import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Tone } from './tone.ts'

export type Figure = {
  readonly name: string
  readonly value: ReactNode
  /** What the value means, as a colour. Without it, the value is a plain number. */
  readonly tone?: Tone | undefined
  /** Whether the value is a time or a word, which is shown as quietly as the note. */
  readonly isText?: boolean
  /** The change since before, or the whole that the value is a part of. */
  readonly note?: ReactNode
  /** The link to what the value counts. */
  readonly href?: string
}

/** The few main numbers of a page, each with a link to what it counts. */
export function Figures({ figures }: { figures: readonly Figure[] }) {
  return (
    <div className="figures-row">
      {figures.map(({ href, ...figure }) =>
        href === undefined ? (
          <div key={figure.name} className="figure-card">
            <Inside {...figure} />
          </div>
        ) : (
          <Link key={figure.name} href={href} className="figure-card">
            <Inside {...figure} />
          </Link>
        ),
      )}
    </div>
  )
}

const Inside = ({ name, value, tone, note, isText = false }: Omit<Figure, 'href'>) => (
  <>
    <span className="figure-name">{name}</span>
    <span className="figure-value" data-tone={tone} data-text={isText || undefined}>
      {value}
    </span>
    {note !== undefined && <span className="figure-note">{note}</span>}
  </>
)
