import type { ReactNode } from 'react'

type Props = {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
  /** One below the other, the names at the left; else side by side. */
  readonly isList?: boolean
}

/** Names and values. */
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
