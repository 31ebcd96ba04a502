import { Group, NativeSelect } from '@mantine/core'
import { DateTimeField } from '../common/ui/date-time-field.tsx'
import { EXPIRY_CHOICES } from './expiry.ts'
import { texts } from './texts.ts'

type Props = {
  readonly label?: string
  /** Further choices, shown before the usual ones. */
  readonly first?: readonly { readonly value: string; readonly label: string }[]
  readonly choice: string
  readonly custom: string
  readonly onChange: (choice: string, custom: string) => void
  readonly error?: string | undefined
}

export function ExpiryInput({ label = texts.expires, first = [], choice, custom, onChange, error }: Props) {
  return (
    <Group align="flex-start">
      <NativeSelect
        label={label}
        data={[...first, ...EXPIRY_CHOICES]}
        value={choice}
        error={choice === 'custom' ? undefined : error}
        onChange={(event) => onChange(event.currentTarget.value, custom)}
      />
      {choice === 'custom' && (
        <DateTimeField
          label={texts.lastMoment}
          required
          value={custom}
          error={error}
          onChange={(typed) => onChange(choice, typed)}
        />
      )}
    </Group>
  )
}
