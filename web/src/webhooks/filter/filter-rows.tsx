import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useId } from 'react'
import { OPERATORS, type Operator, type Row, type Rows } from './rows.ts'
import { texts } from './texts.ts'

type Props = {
  readonly value: Rows
  readonly onChange: (value: Rows) => void
  /** The most fields that are offered. Others may be typed. */
  readonly paths: readonly string[]
}

const NAMES = OPERATORS.map(([value, label]) => ({ value, label }))

/** The placeholder for the value of a row. */
const HINTS: Partial<Record<Operator, string>> = {
  $in: texts.wonLost,
  $nin: texts.wonLost,
  $regex: texts.anyAcme,
}

/** Conditions as rows. */
export function FilterRows({ value: { mode, rows }, onChange, paths }: Props) {
  const set = (index: number, change: Partial<Row>) =>
    onChange({ mode, rows: rows.map((row, at) => (at === index ? { ...row, ...change } : row)) })
  const list = useId()
  const first = paths.find((path) => path.startsWith('data.')) ?? 'data.name'
  return (
    <Stack gap="xs">
      <datalist id={list}>
        {paths.map((path) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      {rows.length > 1 && (
        <NativeSelect
          label={texts.matchesWhen}
          maw={240}
          data={[
            { value: 'all', label: texts.allHold },
            { value: 'any', label: texts.anyHolds },
          ]}
          value={mode}
          onChange={(event) => onChange({ mode: event.currentTarget.value === 'any' ? 'any' : 'all', rows })}
        />
      )}
      {rows.map((row, index) => (
        <Group
          key={index}
          align="flex-end"
          gap="xs"
          role="group"
          aria-label={texts.condition({ number: index + 1 })}
        >
          <TextInput
            flex="1 1 140px"
            label={texts.field({ number: index + 1 })}
            list={list}
            value={row.path}
            onChange={(event) => set(index, { path: event.currentTarget.value })}
          />
          <NativeSelect
            label={texts.comparison({ number: index + 1 })}
            data={NAMES}
            value={row.operator}
            onChange={(event) => set(index, { operator: event.currentTarget.value as Operator })}
          />
          {row.operator === '$exists' ? (
            <NativeSelect
              label={texts.value({ number: index + 1 })}
              data={[
                { value: 'true', label: texts.yes },
                { value: 'false', label: texts.no },
              ]}
              value={row.value === 'false' ? 'false' : 'true'}
              onChange={(event) => set(index, { value: event.currentTarget.value })}
            />
          ) : (
            <TextInput
              flex="1 1 140px"
              label={texts.value({ number: index + 1 })}
              placeholder={HINTS[row.operator]}
              value={row.value}
              onChange={(event) => set(index, { value: event.currentTarget.value })}
            />
          )}
          <Button
            variant="default"
            aria-label={texts.removeCondition({ number: index + 1 })}
            onClick={() => onChange({ mode, rows: rows.filter((_, at) => at !== index) })}
          >
            {texts.remove}
          </Button>
        </Group>
      ))}
      <div>
        <Button
          size="xs"
          variant="default"
          onClick={() => onChange({ mode, rows: [...rows, { path: first, operator: '$eq', value: '' }] })}
        >
          {texts.addCondition}
        </Button>
      </div>
    </Stack>
  )
}
