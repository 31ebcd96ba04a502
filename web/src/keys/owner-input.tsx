import { NativeSelect } from '@mantine/core'
import type { ChangeEventHandler, ReactNode } from 'react'
import type { User } from '../common/api/users.js'
import { useParts } from '../common/session/queries.js'

type Props = {
  readonly value?: string
  readonly onChange?: ChangeEventHandler<HTMLSelectElement>
  readonly error?: ReactNode
}

/** Whose Personal key it will be. */
export function OwnerInput(props: Props) {
  const users = useParts<User>('/users', { limit: 100 })
  const others = (users.data?.pages ?? []).flatMap((page) => page.data).filter(({ is_self }) => !is_self)
  const choices = others.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }))
  return <NativeSelect label="Owner" data={[{ value: '', label: 'Me' }, ...choices]} {...props} />
}
