import { Text } from '@mantine/core'
import { ForeignText } from '../common/ui/foreign-text.js'
import { TextLink } from '../common/ui/text-link.js'
import { When } from '../common/ui/when.js'
import type { Concern } from './attention.js'

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
