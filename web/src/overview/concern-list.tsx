import { Text } from '@mantine/core'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { When } from '../common/ui/when.tsx'
import type { Concern } from './attention.ts'

export function ConcernList({ concerns }: { concerns: readonly Concern[] }) {
  if (concerns.length === 0) return <Text>Nothing does.</Text>
  return (
    <ul className="concerns">
      {concerns.map(({ id, name, what, href, at }) => (
        <li key={id}>
          <TextLink href={href}>
            <ForeignText text={name} limit={60} />
          </TextLink>
          : <span className="foreign">{what}</span>{' '}
          {at !== null && (
            <>
              (<When at={at} is="end" />)
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
