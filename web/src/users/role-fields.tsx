import { Checkbox, Radio, Stack } from '@mantine/core'
import type { Role } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { allowableScopes } from './allowable-scopes.ts'
import { texts } from './texts.ts'

type Props = {
  readonly role: Role
  readonly scopes: readonly string[]
  readonly onChange: (role: Role, scopes: readonly string[]) => void
}

/**
 * What a user may do. An admin may do everything. A member may read, test and retry, and may have the ticked write scopes in
 * Personal keys.
 */
export function RoleFields({ role, scopes, onChange }: Props) {
  const { settings } = useSession()
  return (
    <>
      <Radio.Group label={texts.role} value={role} onChange={(value) => onChange(value, scopes)}>
        <div className="choices">
          <Radio value="admin" label={texts.admin} description={texts.adminMeans} />
          <Radio value="member" label={texts.member} description={texts.memberMeans} />
        </div>
      </Radio.Group>
      {role === 'member' && (
        <Checkbox.Group
          label={texts.writeScopes}
          description={texts.writeScopesMean}
          value={[...scopes]}
          onChange={(value) => onChange(role, value)}
        >
          <Stack gap="xs" mt="xs">
            {allowableScopes(settings.scopes.map(({ name }) => name)).map((scope) => (
              <Checkbox key={scope} value={scope} label={scope} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </>
  )
}
