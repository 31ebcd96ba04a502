import { Button, Fieldset, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { GroupFault } from '../common/ui/group-fault.tsx'
import type { HiddenValues } from './use-hidden-values.tsx'
import type { HeaderRow } from './webhook-form.ts'
import { texts } from './texts.ts'

type Props = {
  readonly rows: readonly HeaderRow[]
  readonly onChange: (rows: readonly HeaderRow[]) => void
  readonly error?: string | undefined
  readonly hidden?: HiddenValues | undefined
}

/**
 * Custom headers of every request. Their values are often credentials, so the api hides stored values. A stored value stays
 * unless the user types another one.
 */
export function HeaderEditor({ rows, onChange, error, hidden }: Props) {
  const values = hidden?.values
  const shown = ({ value, stored }: HeaderRow) =>
    value ?? (stored === undefined ? null : (values?.[stored] ?? null))
  const set = (row: HeaderRow) => onChange(rows.map((each) => (each.id === row.id ? row : each)))
  const add = () =>
    onChange([...rows, { id: Math.max(0, ...rows.map(({ id }) => id)) + 1, name: '', value: '' }])
  return (
    <Fieldset legend={texts.customHeaders}>
      <Stack gap="xs">
        {error !== undefined && <GroupFault>{error}</GroupFault>}
        {rows.map((row, index) => (
          <Group key={row.id} align="flex-end" gap="xs">
            <TextInput
              flex="1 1 140px"
              label={texts.header({ number: index + 1 })}
              placeholder={texts.headerExample}
              value={row.name}
              onChange={(event) => set({ ...row, name: event.currentTarget.value, value: shown(row) })}
            />
            <PasswordInput
              key={values ? 'shown' : 'hidden'}
              defaultVisible={values !== undefined && row.value === null}
              label={texts.headerValue({ number: index + 1 })}
              autoComplete="off"
              flex="1 1 200px"
              visibilityToggleButtonProps={{ 'aria-label': texts.showTheValue }}
              placeholder={row.value === null ? texts.hiddenStays : ''}
              value={shown(row) ?? ''}
              onChange={(event) => set({ ...row, value: event.currentTarget.value })}
            />
            {row.stored !== undefined && row.value !== null && (
              <Button
                variant="default"
                aria-label={texts.keepStoredHeader({ number: index + 1 })}
                onClick={() => set({ ...row, name: row.stored ?? '', value: null })}
              >
                {texts.keepStored}
              </Button>
            )}
            <Button
              variant="default"
              aria-label={texts.removeHeader({ number: index + 1 })}
              onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
            >
              {texts.remove}
            </Button>
          </Group>
        ))}
        {rows.some(({ stored }) => stored !== undefined) && hidden?.control}
        <div>
          <Button size="xs" variant="default" onClick={add}>
            {texts.addHeader}
          </Button>
        </div>
      </Stack>
    </Fieldset>
  )
}
