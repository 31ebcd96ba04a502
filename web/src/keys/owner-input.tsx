import { NativeSelect } from '@mantine/core'
import type { ChangeEventHandler, ReactNode } from 'react'
import { useUsers } from './use-users.ts'
import { texts } from './texts.ts'

type Props = {
  readonly value?: string
  readonly onChange?: ChangeEventHandler<HTMLSelectElement>
  readonly error?: ReactNode
}

/** Chooses the owner of a Personal key. */
export function OwnerInput(props: Props) {
  const others = useUsers().filter(({ is_self }) => !is_self)
  const choices = others.map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }))
  return <NativeSelect label={texts.owner} data={[{ value: '', label: texts.me }, ...choices]} {...props} />
}
