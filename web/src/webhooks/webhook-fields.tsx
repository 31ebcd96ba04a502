import { Checkbox, Stack, Textarea } from '@mantine/core'
import { EventPicker } from './event-picker.tsx'
import { FilterFields } from './filter/filter-fields.tsx'
import { HeaderEditor } from './header-editor.tsx'
import { RetryInput } from './retry-input.tsx'
import { useTypedFaults } from './use-typed-faults.ts'
import type { HiddenValues } from './use-hidden-values.tsx'
import type { WebhookForm } from './webhook-form.ts'
import { TextField } from '../common/ui/fields.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly form: WebhookForm
  readonly onChange: (form: WebhookForm) => void
  /** Error messages by the name of the field on the wire. */
  readonly faults: Readonly<Record<string, string>>
  /** Errors of the headers. Absent for a new webhook, because its form has no headers. */
  readonly hidden?: HiddenValues
}

/** The fields of a webhook, for a new webhook and for a change. */
export function WebhookFields({ form, onChange, faults, hidden }: Props) {
  const typed = useTypedFaults(form)
  const set = (change: Partial<WebhookForm>) => onChange({ ...form, ...change })
  return (
    <Stack>
      <TextField
        name="name"
        label={texts.fields.name}
        required
        maxLength={255}
        value={form.name}
        error={faults['name']}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <TextField
        name="url"
        label={texts.fields.url}
        description={texts.urlHow}
        required
        type="url"
        placeholder={texts.urlExample}
        maxLength={2_048}
        value={form.url}
        error={faults['url'] ?? typed['url']}
        onChange={(event) => set({ url: event.currentTarget.value })}
      />
      <Textarea
        label={texts.fields.description}
        maxLength={2_000}
        value={form.description}
        error={faults['description']}
        onChange={(event) => set({ description: event.currentTarget.value })}
      />
      <EventPicker chosen={form.events} onChange={(events) => set({ events })} error={faults['events']} />
      <FilterFields
        value={form.filter}
        onChange={(filter) => set({ filter })}
        events={form.events}
        error={faults['filter']}
      />
      <HeaderEditor
        rows={form.headers}
        hidden={hidden}
        onChange={(headers) => set({ headers })}
        error={faults['headers'] ?? typed['headers']}
      />
      <RetryInput
        maxRetries={form.maxRetries}
        schedule={form.schedule}
        onChange={(maxRetries, schedule) => set({ maxRetries, schedule })}
        error={faults['retry_schedule'] ?? faults['max_retries']}
      />
      <Checkbox
        label={texts.fields.send_traceparent}
        description={texts.traceparentMeans}
        checked={form.sendTraceparent}
        onChange={(event) => set({ sendTraceparent: event.currentTarget.checked })}
      />
      <Checkbox
        label={texts.fields.is_active}
        description={texts.inactiveMeans}
        checked={form.isActive}
        onChange={(event) => set({ isActive: event.currentTarget.checked })}
      />
    </Stack>
  )
}
