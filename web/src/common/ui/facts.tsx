import type { ReactNode } from 'react'

type Props = {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
  /** Whether the facts stand below each other, with the names at the left. Otherwise they stand side by side. */
  readonly isList?: boolean
}

/** A list of names and values. */
export function Facts({ facts, isList = false }: Props) {
  return (
    <dl className="facts" data-list={isList || undefined}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
