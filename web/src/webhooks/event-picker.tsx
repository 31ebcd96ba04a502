import { Checkbox, Fieldset, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { EventType, Webhook } from '../common/api/wire.ts'
import { useOne } from '../common/session/queries.ts'
import { GroupFault } from '../common/ui/group-fault.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { byFamily } from './event-families.ts'
import { texts } from './texts.ts'

type Props = {
  readonly chosen: Webhook['events']
  readonly onChange: (chosen: Webhook['events']) => void
  readonly error?: string | undefined
}

/** Chooses the events that the webhook receives, by family. */
export function EventPicker({ chosen, onChange, error }: Props) {
  const [search, setSearch] = useState('')
  const catalog = useOne<readonly EventType[]>('/event-types')
  return (
    <Fieldset legend={texts.eventsAtLeastOne}>
      <Stack gap="sm">
        {error !== undefined && <GroupFault>{error}</GroupFault>}
        <TextInput
          label={texts.searchEvents}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Loaded reading={catalog}>
          {({ item }) => {
            const families = byFamily(item, search)
            if (families.length === 0) return <Text size="sm">{texts.noEventFound}</Text>
            return (
              <div className="event-families">
                {families.map(([family, types]) => (
                  <Family key={family} family={family} types={types} chosen={chosen} onChange={onChange} />
                ))}
              </div>
            )
          }}
        </Loaded>
      </Stack>
    </Fieldset>
  )
}

type FamilyProps = {
  readonly family: string
  readonly types: readonly EventType[]
  readonly chosen: Webhook['events']
  readonly onChange: (chosen: Webhook['events']) => void
}

/**
 * A box for a whole family, and one for each of its types. The meaning of a type is its tooltip, because most names explain
 * themselves.
 */
function Family({ family, types, chosen, onChange }: FamilyProps) {
  const names = types.map(({ name }) => name)
  const without = chosen.filter((name) => !names.includes(name))
  const number = chosen.length - without.length
  return (
    <div role="group" aria-label={family}>
      <Checkbox
        label={
          <Text fw={600} size="sm">
            {family}
          </Text>
        }
        aria-label={texts.allOf({ family })}
        checked={number === names.length}
        indeterminate={number > 0 && number < names.length}
        onChange={() => onChange(number === names.length ? without : [...without, ...names])}
      />
      {types.map(({ name, description }) => (
        <Checkbox
          key={name}
          label={name}
          title={description}
          checked={chosen.includes(name)}
          onChange={(event) =>
            onChange(event.currentTarget.checked ? [...chosen, name] : chosen.filter((each) => each !== name))
          }
        />
      ))}
    </div>
  )
}
