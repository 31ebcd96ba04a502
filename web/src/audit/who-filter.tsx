import { TextInput } from '@mantine/core'
import { useId, useState } from 'react'
import type { Key } from '../common/api/wire.ts'
import { useParts } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { chipProps } from '../common/ui/filter-chip.tsx'
import { texts as commonTexts } from '../common/ui/texts.ts'
import { useUsers } from '../keys/use-users.ts'
import { actorIn, actorsOf, type AuditActor } from './actors.ts'
import { texts } from './texts.ts'

/** Keys that are offered by name. Others are found by their id, or by pressing their name in a row. */
const KEYS_OFFERED = 100

/** Everybody whom the audit may name: users, the newest keys of the environment, and those that are neither. */
function useActors(): readonly AuditActor[] {
  const users = useUsers()
  const keys = useParts<Key>('/keys', { limit: KEYS_OFFERED }).data?.pages.flatMap(({ data }) => data) ?? []
  return actorsOf([
    ...users.map(({ id, name, email }) => ({ id, name, more: email })),
    ...keys.map(({ id, name, prefix }) => ({ id, name, more: `${prefix}…` })),
    ...Object.entries(commonTexts.actors).map(([id, name]) => ({ id, name, more: id })),
  ])
}

/** Chooses who did it: by a name as the rows show it, or by an id. The list follows once the text names one. */
export function WhoFilter() {
  const { get, set } = useUrlFilters()
  const actors = useActors()
  const choices = useId()
  const actor = get('actor')
  // What is typed and names nobody yet; undefined: the field shows whom the address names.
  const [typed, setTyped] = useState<string>()
  const [seen, setSeen] = useState(actor)
  const [isLeft, setLeft] = useState(false)
  if (actor !== seen) {
    setSeen(actor)
    if (typed !== undefined && actorIn(actors, typed) !== actor) setTyped(undefined)
  }
  const isUnknown = typed !== undefined && actorIn(actors, typed) === undefined
  return (
    <>
      <TextInput
        label={texts.who}
        placeholder={texts.whoPlaceholder}
        maxLength={300}
        autoComplete="off"
        list={choices}
        value={typed ?? actors.find(({ id }) => id === actor)?.label ?? actor}
        error={isUnknown && isLeft && texts.nobodyOfThisName}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value)
          setLeft(false)
          const named = actorIn(actors, value)
          if (named !== undefined) set({ actor: named })
        }}
        onBlur={() => (isUnknown ? setLeft(true) : setTyped(undefined))}
        {...chipProps(actor !== '', {
          label: texts.who,
          onRemove: () => {
            setTyped(undefined)
            set({ actor: '' })
          },
        })}
      />
      <datalist id={choices}>
        {actors.map(({ id, label }) => (
          <option key={id} value={label} />
        ))}
      </datalist>
    </>
  )
}
