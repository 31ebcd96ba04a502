import { Button, Checkbox, Fieldset, Group, Stack } from '@mantine/core'
import { useSession } from '../common/session/context.ts'
import { GroupFault } from '../common/ui/group-fault.tsx'
import { presetName } from './key-words.ts'
import { usePresets } from './use-presets.ts'
import { includedBy, toRows, wideScopes } from './scope-grid.ts'
import { texts } from './texts.ts'

type Props = {
  readonly chosen: readonly string[]
  readonly onChange: (chosen: string[]) => void
  readonly error?: string | undefined
}

/** What a key may do. A box is ticked and locked if a wider scope includes it. It is locked if the user may not grant it. */
export function ScopePicker({ chosen, onChange, error }: Props) {
  const { settings } = useSession()
  const presets = usePresets()
  const names = settings.scopes.map(({ name }) => name)
  const box = (scope: string | undefined, label?: string) =>
    scope !== undefined && <ScopeBox scope={scope} label={label} chosen={chosen} onChange={onChange} />
  return (
    <Fieldset legend={texts.scopesAtLeastOne}>
      {error !== undefined && <GroupFault>{error}</GroupFault>}
      <Group gap="xs" mb="sm" role="group" aria-label={texts.presets}>
        {presets.map((preset) => (
          <Button
            key={preset.name}
            size="compact-sm"
            variant={preset.name === presetName(presets, chosen) ? 'light' : 'default'}
            aria-pressed={preset.name === presetName(presets, chosen)}
            onClick={() => onChange([...preset.scopes])}
          >
            {preset.name}
          </Button>
        ))}
      </Group>
      <Stack gap="xs" mb="sm">
        {wideScopes(names).map((scope) => (
          <div key={scope}>{box(scope, `${scope}: ${descriptionOf(scope, settings.scopes)}`)}</div>
        ))}
      </Stack>
      <table className="scopes">
        <thead>
          <tr>
            <th scope="col">{texts.records}</th>
            <th scope="col">{texts.readColumn}</th>
            <th scope="col">{texts.write}</th>
          </tr>
        </thead>
        <tbody>
          {toRows(names).map(({ family, read, write }) => (
            <tr key={family}>
              <th scope="row">{family}</th>
              <td>{box(read)}</td>
              <td>{box(write)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Fieldset>
  )
}

const descriptionOf = (scope: string, scopes: readonly { name: string; description: string }[]) =>
  scopes.find(({ name }) => name === scope)?.description ?? ''

type BoxProps = Props & {
  readonly scope: string
  /** The label. Absent if the head of the column has it. */
  readonly label?: string | undefined
}

function ScopeBox({ scope, label, chosen, onChange }: BoxProps) {
  const { grantable_scopes } = useSession()
  const included = includedBy(scope, chosen)
  const isGrantable = grantable_scopes.includes(scope)
  const isLocked = included !== undefined || (!isGrantable && !chosen.includes(scope))
  return (
    <Checkbox
      label={label}
      aria-label={label === undefined ? scope : undefined}
      description={
        included ? texts.includedIn({ scope: included }) : isGrantable ? undefined : texts.notGrantable
      }
      checked={included !== undefined || chosen.includes(scope)}
      disabled={isLocked}
      onChange={(event) =>
        onChange(event.currentTarget.checked ? [...chosen, scope] : chosen.filter((each) => each !== scope))
      }
    />
  )
}
