import { Button, Fieldset, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import type { HeaderRow } from './webhook-form.ts'

type Props = {
  readonly rows: readonly HeaderRow[]
  readonly onChange: (rows: readonly HeaderRow[]) => void
  readonly error?: string | undefined
}

/** Custom headers of every request. Values are often credentials, so they show only when asked. */
export function HeaderEditor({ rows, onChange, error }: Props) {
  const set = (row: HeaderRow) => onChange(rows.map((each) => (each.id === row.id ? row : each)))
  const add = () =>
    onChange([...rows, { id: Math.max(0, ...rows.map(({ id }) => id)) + 1, name: '', value: '' }])
  return (
    <Fieldset legend="Custom headers">
      <Stack gap="xs">
        {error !== undefined && (
          <Text c="var(--mantine-color-error)" size="sm" role="alert" className="foreign">
            {error}
          </Text>
        )}
        {rows.map((row, index) => (
          <Group key={row.id} align="flex-end" gap="xs">
            <TextInput
              label={`Header ${index + 1}`}
              placeholder="authorization"
              value={row.name}
              onChange={(event) => set({ ...row, name: event.currentTarget.value })}
            />
            <PasswordInput
              label={`Value ${index + 1}`}
              autoComplete="off"
              miw={200}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the value' }}
              value={row.value}
              onChange={(event) => set({ ...row, value: event.currentTarget.value })}
            />
            <Button
              variant="default"
              aria-label={`Remove header ${index + 1}`}
              onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
            >
              Remove
            </Button>
          </Group>
        ))}
        <div>
          <Button size="xs" variant="default" onClick={add}>
            Add header
          </Button>
        </div>
      </Stack>
    </Fieldset>
  )
}
