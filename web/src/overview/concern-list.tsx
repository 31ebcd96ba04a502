import { ForeignName } from '../common/ui/foreign-text.tsx'
import { Status } from '../common/ui/status.tsx'
import { RowLink } from '../common/ui/text-link.tsx'
import { For, When } from '../common/ui/when.tsx'
import { ConcernAction } from './concern-action.tsx'
import type { Concern } from './attention.ts'

export function ConcernList({ concerns }: { concerns: readonly Concern[] }) {
  return (
    <ul className="concerns">
      {concerns.map(({ id, name, what, state, tone, href, at, isPast, webhook }) => (
        <li key={id}>
          <Status tone={tone}>{state}</Status>
          <span>
            <RowLink href={href}>
              <ForeignName text={name} />
            </RowLink>{' '}
            <span className="foreign quiet">{what}</span>
          </span>
          <span className="quiet">
            {at !== null && (isPast ? <For since={at} /> : <When at={at} is="end" />)}
          </span>
          {webhook && <ConcernAction webhook={webhook} />}
        </li>
      ))}
    </ul>
  )
}
