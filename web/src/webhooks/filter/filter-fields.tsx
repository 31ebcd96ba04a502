import { Button, Fieldset, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { EventType, Webhook } from '../../common/api/wire.ts'
import { useOne } from '../../common/session/queries.ts'
import { GroupFault } from '../../common/ui/group-fault.tsx'
import { FilterExamples } from './filter-examples.tsx'
import { FilterRows } from './filter-rows.tsx'
import { filterText, parseFilterText } from './filter-text.ts'
import { pathsOf } from './paths.ts'
import { filterOfRows, rowsOfFilter, type Rows } from './rows.ts'
import { useFilterPreview } from './use-filter-preview.ts'
import { texts } from './texts.ts'

type Props = {
  /** The filter as JSON. Empty: no filter. */
  readonly value: string
  readonly onChange: (value: string) => void
  /** The event types of the webhook. Their fields are offered, and the filter is tried on their latest events. */
  readonly events: Webhook['events']
  readonly error?: string | undefined
}

/** Edits the filter of a webhook, as rows or as JSON, and shows its effect on real events. */
export function FilterFields({ value, onChange, events, error }: Props) {
  const catalog = useOne<readonly EventType[]>('/event-types')
  const [typed, setTyped] = useState<Rows>()
  const [isJson, setJson] = useState(false)
  const filter = parseFilterText(value)
  const { preview, fault } = useFilterPreview(filter, events)
  // A value keeps its typed form, such as 5.0, which is 5 as JSON.
  const isTyped = typed && filter !== undefined && filterText(filterOfRows(typed)) === filterText(filter)
  const rows = isTyped ? typed : filter === undefined ? undefined : rowsOfFilter(filter)
  const chosen = (catalog.data?.item ?? []).filter(({ name }) => events.includes(name))
  const message = error ?? fault
  const set = (next: Rows) => {
    setTyped(next)
    onChange(filterText(filterOfRows(next)))
  }
  return (
    <Fieldset legend={texts.filterOptional}>
      <Stack gap="sm">
        <Text size="sm">{texts.onlyMatching}</Text>
        {!rows && <Text size="sm">{texts.rowsCannotShow}</Text>}
        {rows && !isJson ? (
          <>
            <FilterRows value={rows} onChange={set} paths={pathsOf(chosen.map(({ example }) => example))} />
            {message !== undefined && <GroupFault>{message}</GroupFault>}
          </>
        ) : (
          <Textarea
            label={texts.filterAsJson}
            description={texts.jsonForm}
            autosize
            minRows={2}
            maxRows={16}
            spellCheck={false}
            className="foreign"
            value={value}
            error={message}
            onChange={(event) => {
              // The user may type JSON that rows can show. It stays JSON, where it was typed.
              setJson(true)
              onChange(event.currentTarget.value)
            }}
          />
        )}
        {rows && (
          <div>
            <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setJson(!isJson)}>
              {isJson ? texts.editInRows : texts.editAsJson}
            </Button>
          </div>
        )}
        {preview && <FilterExamples preview={preview} />}
      </Stack>
    </Fieldset>
  )
}
