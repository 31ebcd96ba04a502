import { Fieldset, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { EventType, Webhook } from '../../common/api/wire.ts'
import { useOne } from '../../common/session/queries.ts'
import { FilterExamples } from './filter-examples.tsx'
import { FilterRows } from './filter-rows.tsx'
import { filterText, parseFilterText } from './filter-text.ts'
import { pathsOf } from './paths.ts'
import { filterOfRows, rowsOfFilter, type Rows } from './rows.ts'
import { useFilterPreview } from './use-filter-preview.ts'
import { texts } from './texts.ts'

type Props = {
  /** The filter as JSON; empty for none. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** The types of the webhook: their fields are offered, and their latest events are tried. */
  readonly events: Webhook['events']
  readonly error?: string | undefined
}

/** Which events of its types the webhook gets: conditions in rows, the same as JSON, and what they do to real events. */
export function FilterFields({ value, onChange, events, error }: Props) {
  const catalog = useOne<readonly EventType[]>('/event-types')
  const [typed, setTyped] = useState<Rows>()
  const filter = parseFilterText(value)
  const { preview, fault } = useFilterPreview(filter, events)
  // A value keeps the form in which it was typed: 5.0 is 5 as JSON.
  const isTyped = typed && filter !== undefined && filterText(filterOfRows(typed)) === filterText(filter)
  const rows = isTyped ? typed : filter === undefined ? undefined : rowsOfFilter(filter)
  const chosen = (catalog.data?.item ?? []).filter(({ name }) => events.includes(name))
  const set = (next: Rows) => {
    setTyped(next)
    onChange(filterText(filterOfRows(next)))
  }
  return (
    <Fieldset legend={texts.filterOptional}>
      <Stack gap="sm">
        <Text size="sm">{texts.onlyMatching}</Text>
        {rows ? (
          <FilterRows value={rows} onChange={set} paths={pathsOf(chosen.map(({ example }) => example))} />
        ) : (
          <Text size="sm">{texts.rowsCannotShow}</Text>
        )}
        <Textarea
          label={texts.filterAsJson}
          description={texts.jsonForm}
          autosize
          minRows={2}
          maxRows={16}
          spellCheck={false}
          className="foreign"
          value={value}
          error={error ?? fault}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        {preview && <FilterExamples preview={preview} />}
      </Stack>
    </Fieldset>
  )
}
