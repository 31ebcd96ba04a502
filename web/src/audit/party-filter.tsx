import { TextInput } from '@mantine/core'
import { useId, useState } from 'react'
import type { Key } from '../common/api/wire.ts'
import { useParts } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { useWebhookNames } from '../common/session/webhook-names.ts'
import { chipProps } from '../common/ui/filter-chip.tsx'
import { useUsers } from '../keys/use-users.ts'
import { actorsOf, partyIn, type AuditActor } from './actors.ts'
import { texts } from './texts.ts'

/** The most keys that are offered by name. Others are found by their id, or by a click on their name in a row. */
const KEYS_OFFERED = 100

type Named = Parameters<typeof actorsOf>[0]

/** The users and keys that are offered by name: all users, but only the newest keys of the environment. */
function useUsersAndKeys(): Named {
  const users = useUsers()
  const keys = useParts<Key>('/keys', { limit: KEYS_OFFERED }).data?.pages.flatMap(({ data }) => data) ?? []
  return [
    ...users.map(({ id, name, email }) => ({ id, name, more: email })),
    ...keys.map(({ id, name, prefix }) => ({ id, name, more: `${prefix}…` })),
  ]
}

/** A filter by the actor. */
export function WhoFilter() {
  const others = Object.entries(texts.actors).map(([id, name]) => ({ id, name, more: id }))
  const parties = actorsOf([...useUsersAndKeys(), ...others])
  return <PartyFilter name="actor" label={texts.who} placeholder={texts.whoPlaceholder} parties={parties} />
}

/** A filter by the object. */
export function ObjectFilter() {
  const webhooks = useWebhookNames().map(({ id, name }) => ({ id, name, more: id.slice(-6) }))
  const parties = actorsOf([...useUsersAndKeys(), ...webhooks])
  return (
    <PartyFilter name="target" label={texts.object} placeholder={texts.objectPlaceholder} parties={parties} />
  )
}

type Props = {
  readonly name: 'actor' | 'target'
  readonly label: string
  readonly placeholder: string
  readonly parties: readonly AuditActor[]
}

/** Takes a name as the rows show it, or an id. The list changes once the text names one user, key or object. */
function PartyFilter({ name, label, placeholder, parties }: Props) {
  const { get, set } = useUrlFilters()
  const choices = useId()
  const chosen = get(name)
  const named = (text: string) => partyIn(parties, text, name)
  // Typed text that names nobody yet. If undefined, the field shows the choice that is in the address.
  const [typed, setTyped] = useState<string>()
  const [seen, setSeen] = useState(chosen)
  const [isLeft, setLeft] = useState(false)
  if (chosen !== seen) {
    setSeen(chosen)
    if (typed !== undefined && named(typed) !== chosen) setTyped(undefined)
  }
  const isUnknown = typed !== undefined && named(typed) === undefined
  return (
    <>
      <TextInput
        label={label}
        placeholder={placeholder}
        maxLength={300}
        autoComplete="off"
        list={choices}
        value={typed ?? parties.find(({ id }) => id === chosen)?.label ?? chosen}
        error={isUnknown && isLeft && texts.notOfThisName}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value)
          setLeft(false)
          const id = named(value)
          if (id !== undefined) set({ [name]: id })
        }}
        onBlur={() => (isUnknown ? setLeft(true) : setTyped(undefined))}
        {...chipProps(chosen !== '', {
          label,
          onRemove: () => {
            setTyped(undefined)
            set({ [name]: '' })
          },
        })}
      />
      <datalist id={choices}>
        {parties.map(({ id, label }) => (
          <option key={id} value={label} />
        ))}
      </datalist>
    </>
  )
}
