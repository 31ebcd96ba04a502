import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Tone } from './tone.ts'

export type Figure = {
  readonly name: string
  readonly value: ReactNode
  /** What the value means; without it, it is a plain number. */
  readonly tone?: Tone | undefined
  /** A time or a word, which is as quiet as the note. */
  readonly isText?: boolean
  /** The change, or what it is part of. */
  readonly note?: ReactNode
  /** What it counts. */
  readonly href?: string
}

/** The loudest thing on a page: a few numbers, each a link to what it counts. */
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
